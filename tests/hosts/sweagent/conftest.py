"""Real SWE-agent, where the variable SWEAGENT_PYTHON names an interpreter that has it."""

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from context_strategies.testing import Record, ScriptedModel

ROOT = Path(__file__).resolve().parents[3]
PYTHON = os.environ.get("SWEAGENT_PYTHON", "")
HINT = "the variable SWEAGENT_PYTHON does not name a Python that has SWE-agent 1.1 (see docs/swe-agent.md)"

TEMPLATES = {
    "system_template": "You fix bugs.",
    "instance_template": "{{problem_statement}}",
    "next_step_template": "OBSERVATION:\n{{observation}}",
    "next_step_no_output_template": "No output.",
}


@dataclass(frozen=True)
class Run:
    """One finished run: SWE-agent's info, all it printed, the requests, and its files."""

    info: dict[str, Any]
    printed: str
    log: Sequence[Record]
    folder: Path

    @property
    def trajectory(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((self.folder / "made-up.traj").read_text())
        return content

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "made-up.context.jsonl").read_text().splitlines()]

    def sent(self, kind: str) -> list[Record]:
        return [record for record in self.log if record.kind == kind]


@pytest.fixture(scope="session")
def python() -> str:
    """Return the interpreter that has SWE-agent."""
    if not PYTHON:
        pytest.skip(HINT)
    return PYTHON


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """Return the variables that a process with SWE-agent and the plugin needs."""
    return {
        **os.environ,
        "PYTHONPATH": f"{ROOT / 'shared'}:{ROOT}",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "SWE_AGENT_LOG_STREAM_LEVEL": "INFO",
    }


def model_config(url: str, **more: Any) -> dict[str, Any]:
    return {"name": "openai/gpt-4o", "api_base": url, "api_key": "none", "retry": {"retries": 1}, **more}


@pytest.fixture
def drive(python: str, environment: dict[str, str], tmp_path: Path) -> Callable[..., Run]:
    """Return what runs one agent in a made-up environment: its chain, the model, and what else its config holds."""

    def run(
        chain: list[dict[str, Any]],
        server: ScriptedModel,
        *,
        text: bool = False,
        model: dict[str, Any] | None = None,
        attempts: dict[str, Any] | None = None,
    ) -> Run:
        agent = {
            "model": model_config(server.url, **(model or {})),
            "templates": TEMPLATES,
            "tools": {"parse_function": {"type": "thought_action" if text else "function_calling"}},
            "history_processors": chain,
        }
        config = {"type": "retry", "agent_configs": [agent], "retry_loop": attempts} if attempts else agent
        spec = {"agent": config, "task": "Fix it. TASK-ID: made-up", "id": "made-up", "output": str(tmp_path)}
        command = [python, str(Path(__file__).with_name("drive.py"))]
        done = subprocess.run(
            command, input=json.dumps(spec), env=environment, capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == 0, done.stdout[-3_000:] + done.stderr[-3_000:]
        return Run(json.loads(done.stdout.splitlines()[-1]), done.stdout + done.stderr, server.log, tmp_path)

    return run
