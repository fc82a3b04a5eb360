"""OpenHands V1: the SDK's agent in a local conversation, kept in a folder."""

import json
import logging
import re
import uuid
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from openhands.sdk import Agent, Tool
from openhands.sdk.context.condenser import CondenserBase
from openhands.sdk.conversation.impl.local_conversation import LocalConversation
from openhands.tools.terminal import TerminalTool

import openhands_plugin.v1  # noqa: F401 - registers the condensers
from context_strategies.compare.config_lines import KINDS
from context_strategies.testing import call
from faults.job import MAX_STEPS, Job
from openhands_v1_host import model_of

CONTROL = re.compile(r"\x1b\[[?\d;]*[a-zA-Z]|^\s*\n", re.MULTILINE)
"""The terminal's codes, and the empty lines they leave, come and go with the time it takes."""


class OpenHandsV1:
    """A folder's conversation goes on where it stopped."""

    title = "OpenHands V1"
    finish = call("finish", message="Done.")
    before = ""
    resumes = True
    threads = True

    def run(self, job: Job) -> str:
        logging.getLogger("openhands").setLevel(logging.CRITICAL)
        conversation: Any = self._conversation(job)
        try:
            if not job.resume:
                conversation.send_message(job.task)
            conversation.run()
        except Exception as error:  # noqa: BLE001 - whatever ends a run is what is asked for
            return f"{conversation.state.execution_status.value}, {type(error).__name__}"
        finally:
            conversation.close()
        return str(conversation.state.execution_status.value)

    def _conversation(self, job: Job) -> LocalConversation:
        workspace = Path(job.folder, "workspace")
        workspace.mkdir(exist_ok=True)
        server: Any = SimpleNamespace(url=job.url)
        return LocalConversation(
            agent=Agent(
                llm=model_of(server, model=f"openai/{job.model or 'scripted'}"),
                tools=[Tool(name=TerminalTool.name, params={"terminal_type": "subprocess"})],
                condenser=self._condenser(job),
            ),
            workspace=workspace,
            persistence_dir=Path(job.folder, "conversations"),
            conversation_id=self._id(job),
            visualizer=None,
            max_iteration_per_run=MAX_STEPS,
        )

    def _condenser(self, job: Job) -> CondenserBase | None:
        if not job.strategy:
            return None
        fields = {name: value for name, value in job.strategy.items() if name != "type"}
        if job.summarizer:
            server: Any = SimpleNamespace(url=job.summarizer["api_base"])
            llm = model_of(server, "condenser", str(job.summarizer["model"]))
            fields["llm"] = llm.model_copy(update={"timeout": job.summarizer.get("timeout")})
        events = str(Path(job.folder, "conversations"))
        return CondenserBase.model_validate({"kind": KINDS[job.strategy["type"]], "events": events, **fields})

    def _id(self, job: Job) -> uuid.UUID:
        return uuid.uuid5(uuid.NAMESPACE_OID, job.name)

    def _kept(self, job: Job) -> Path:
        return Path(job.folder, "conversations", self._id(job).hex)

    def outputs(self, job: Job) -> list[str]:
        paths = sorted((self._kept(job) / "events").glob("event-*.json"))
        events = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
        observations = [
            event["observation"] for event in events if event.get("tool_name") == "terminal" and "observation" in event
        ]
        return [CONTROL.sub("", "".join(part.get("text", "") for part in seen["content"])) for seen in observations]

    def events_path(self, job: Job) -> Path:
        return self._kept(job) / "context-strategies.jsonl"
