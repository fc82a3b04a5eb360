"""Real OpenHands V0 runs: its own controller, agent and runtime (no docker), a scripted model in the model's place."""

import asyncio
import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from context_strategies.testing import Record, ScriptedModel, Step, call, run


def numbers(first: int, last: int, thought: str = "") -> Step:
    """A command that prints these numbers. It waits first: the runtime may lose the output of one that ends at once."""
    return run(f"sleep 0.05; seq {first} {last}", thought)


BIG = [numbers(turn * 1000, turn * 1000 + 799, f"step {turn}") for turn in range(1, 26)]
"""Twenty-five turns of about 4,000 characters each."""

FINISH = call("finish", message="Done.")

CONFIG = """\
[core]
runtime = "cli"
workspace_base = "{folder}/workspace"
file_store = "local"
file_store_path = "{folder}/store"
save_trajectory_path = "{folder}/run.json"
max_iterations = {iterations}

[llm]
model = "{model}"
api_key = "none"
base_url = "{url}"
num_retries = 1
native_tool_calling = true
input_cost_per_token = 1e-6
output_cost_per_token = 5e-6
{llm}

[agent]
enable_browsing = false
enable_jupyter = false
enable_mcp = false
{agent}

[agent.context]
classpath = "openhands_plugin.v0.agent.ContextAgent"

{condenser}
"""


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a run: OpenHands' final state, and what its model was sent."""

    folder: Path
    state: Any
    log: Sequence[Record]

    @property
    def end(self) -> str:
        return str(self.state.agent_state.value)

    @property
    def requests(self) -> list[Record]:
        """The agent's requests that were answered."""
        return [record for record in self.log if record.kind == "agent" and record.status == 200]

    @property
    def summaries(self) -> list[Record]:
        return [record for record in self.log if record.kind == "summary"]

    @property
    def events(self) -> list[dict[str, Any]]:
        """What the session says of itself."""
        lines = (self.folder / "run.context.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    @property
    def trajectory(self) -> list[dict[str, Any]]:
        saved: list[dict[str, Any]] = json.loads((self.folder / "run.json").read_text(encoding="utf-8"))
        return saved


class OpenHands:
    """Runs it in ``folder``, again and again as it is asked to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "workspace").mkdir()

    def write_config(self, url: str, condenser: str, **parts: Any) -> Path:
        """``config.toml`` with this ``[condenser]`` section; ``llm``, ``agent`` are further lines of those sections."""
        values = {"iterations": 60, "model": "openai/scripted", "llm": "", "agent": "", **parts}
        path = self.folder / "config.toml"
        path.write_text(
            CONFIG.format(
                folder=self.folder, url=url, condenser=textwrap.dedent(condenser).replace("{url}", url), **values
            ),
            encoding="utf-8",
        )
        return path

    def load(self, condenser: str, **parts: Any) -> Any:
        """OpenHands' config, as its own command loads it."""
        from openhands.core.config.utils import load_openhands_config

        path = self.write_config(parts.pop("url", "http://127.0.0.1:9"), condenser, **parts)
        return load_openhands_config(config_file=str(path))

    def run(
        self, condenser: str, script: Sequence[Step], *, task: str = "Do it.", budget: float | None = None, **parts: Any
    ) -> Run:
        """One run to its end; run again in the same folder, it resumes the session."""
        server = {name: parts.pop(name) for name in ("summaries", "summary_pattern", "max_characters") if name in parts}
        with ScriptedModel(script, **server) as model:
            config = self.load(condenser, url=model.url, **parts)
            config.max_budget_per_task = budget
            state = self._run(config, task)
        return Run(self.folder, state, model.log)

    def _run(self, config: Any, task: str) -> Any:
        from openhands.core.main import auto_continue_response, run_controller
        from openhands.events.action import MessageAction

        return asyncio.run(
            run_controller(
                config,
                MessageAction(content=task),
                sid="session",
                fake_user_response_fn=auto_continue_response,
            )
        )


def shown(record: Record) -> list[tuple[str, str]]:
    """The messages of a request: role and text."""
    return [(str(message["role"]), text(message)) for message in record.messages]


def text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(str(part.get("text", "")) for part in content)
