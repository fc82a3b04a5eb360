"""OpenHands' own command line, headless, with a condenser from its settings file."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if find_spec("openhands_cli") is None:
    pytest.skip("OpenHands' command line is not installed here: it pins an SDK of its own", allow_module_level=True)

from context_strategies.testing import ScriptedModel, Step, call, say
from openhands_v1_host import texts

ROOT = Path(__file__).resolve().parents[3]


def step(n: int) -> Step:
    """A command with a big output; this command line has the model rate every call."""
    return call("terminal", f"Step {n}.", command=f"echo step {n}; seq 1 1500", security_risk="LOW")


def settings(folder: Path, url: str, **condenser: Any) -> None:
    llm = {"model": "openai/scripted", "base_url": url, "api_key": "none", "num_retries": 0}
    fields = {"kind": "ContextCondenser", "llm": {**llm, "usage_id": "condenser"}, **condenser}
    agent = {"kind": "Agent", "llm": {**llm, "usage_id": "agent"}, "tools": [], "condenser": fields}
    (folder / "agent_settings.json").write_text(json.dumps(agent))


def start(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the launcher in a project that has a module of the name of one that OpenHands imports."""
    project = folder / "project"
    project.mkdir(exist_ok=True)
    (project / "acp.py").write_text("raise ImportError('the project's, not the one that was meant')")
    environment = {
        **os.environ,
        "HOME": str(folder),
        "OPENHANDS_PERSISTENCE_DIR": str(folder),
        "PYTHONPATH": os.pathsep.join([str(ROOT / "shared"), str(ROOT)]),
    }
    command = [sys.executable, "-P", "-m", "openhands_plugin.v1", "--headless", *arguments]
    return subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, timeout=180, check=False
    )


def hidden(messages: list[dict[str, Any]]) -> list[bool]:
    return [text.startswith("[Output of") for text in texts(messages, "tool")]


def test_the_launcher_runs_it_with_any_strategy_and_resumes(tmp_path: Path) -> None:
    with ScriptedModel([*map(step, range(10)), say("Go on?"), step(10), say("Done.")]) as model:
        settings(tmp_path, model.url, strategy="masking:window=3,refresh=1", events="~/conversations")
        assert start(tmp_path, "--task", "TASK-ID: cli\nCount.").returncode == 0
        (kept,) = (tmp_path / "conversations").iterdir()
        assert start(tmp_path, "--resume", kept.name, "--task", "Go on.").returncode == 0
    *_, asked, resumed, last = model.log
    assert "1500" in texts(asked.messages, "tool")[-1]
    assert hidden(asked.messages) == [True] * 7 + [False] * 3
    assert resumed.messages[: len(asked.messages)] == asked.messages
    assert hidden(last.messages) == [True] * 9 + [False] * 2
    lines = (kept / "context-strategies.jsonl").read_text().splitlines()
    assert len(lines) == len(model.log)


def test_settings_that_it_would_drop_are_refused_with_the_reason(tmp_path: Path) -> None:
    settings(tmp_path, "http://127.0.0.1:9/v1", strategy="masking:windw=3")
    done = start(tmp_path, "--task", "Count.")
    assert done.returncode == 1
    assert 'agent_settings.json: condenser: strategy masking has no field "windw"' in done.stderr
