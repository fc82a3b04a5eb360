"""OpenHands V0: its own controller, agent and runtime, kept in a folder."""

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

from context_strategies.testing import call
from faults.job import MAX_STEPS, Job
from openhands_v0_runs import OpenHands


class OpenHandsV0:
    """A folder's session goes on where it stopped. It takes signals, and so a process of its own."""

    title = "OpenHands V0"
    finish = call("finish", message="Done.")
    before = "sleep 0.05; "  # the runtime may lose the output of a command that ends at once
    resumes = True
    threads = False

    def run(self, job: Job) -> str:
        from openhands.core.main import auto_continue_response, run_controller
        from openhands.events.action import MessageAction

        state: Any = asyncio.run(
            run_controller(
                self._config(job),
                MessageAction(content="Go on." if job.resume else job.task),
                sid=job.name,
                fake_user_response_fn=auto_continue_response,
            )
        )
        return str(state.agent_state.value)

    def _config(self, job: Job) -> Any:
        own = OpenHands(Path(tempfile.mkdtemp(prefix=f"{job.name}-", dir=job.folder)))
        model = f"openai/{job.model or 'scripted'}"
        config = own.load(_section(job), url=job.url, model=model, iterations=MAX_STEPS)
        config.file_store_path = str(Path(job.folder, "store"))
        config.save_trajectory_path = job.folder
        return config

    def outputs(self, job: Job) -> list[str]:
        paths = Path(job.folder, "store", "sessions", job.name, "events").glob("*.json")
        events = [
            json.loads(path.read_text(encoding="utf-8")) for path in sorted(paths, key=lambda path: int(path.stem))
        ]
        return [event["content"] for event in events if event.get("observation") == "run"]

    def events_path(self, job: Job) -> Path:
        return Path(job.folder, f"{job.name}.context.jsonl")


def _section(job: Job) -> str:
    """The condenser's part of ``config.toml``, and that of the model that writes its summaries."""
    fields = dict(job.strategy or {"type": "noop"})
    lines = ["[condenser]", *(f"{name} = {json.dumps(value)}" for name, value in fields.items())]
    if not job.summarizer:
        return "\n".join(lines)
    model = {"base_url": job.summarizer["api_base"], "api_key": "none", "num_retries": 0, **job.summarizer}
    del model["api_base"]
    lines += [
        'llm_config = "other"',
        "[llm.other]",
        *(f"{name} = {json.dumps(value)}" for name, value in model.items()),
    ]
    return "\n".join(lines)
