"""OpenHands' own command line, headless, with a condenser from its settings file."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

if find_spec("openhands_cli") is None:
    pytest.skip("OpenHands' command line is not installed here: it pins an SDK of its own", allow_module_level=True)

from context_strategies.testing import ScriptedModel, run, say
from openhands_v1_host import texts

ROOT = Path(__file__).resolve().parents[3]


def test_the_launcher_runs_it_with_any_strategy(tmp_path: Path) -> None:
    steps = [run(f"echo step {n}; seq 1 1500", f"Step {n}.") for n in range(10)]
    with ScriptedModel([*steps, say("Done.")]) as model:
        llm = {"model": "openai/scripted", "base_url": model.url, "api_key": "none", "num_retries": 0}
        condenser = {
            "kind": "ContextCondenser",
            "strategy": "masking:window=3,refresh=1",
            "llm": {**llm, "usage_id": "condenser"},
        }
        agent = {"kind": "Agent", "llm": {**llm, "usage_id": "agent"}, "tools": [], "condenser": condenser}
        (tmp_path / "agent_settings.json").write_text(json.dumps(agent))
        environment = {
            **os.environ,
            "HOME": str(tmp_path),
            "OPENHANDS_PERSISTENCE_DIR": str(tmp_path),
            "PYTHONPATH": os.pathsep.join([str(ROOT / "shared"), str(ROOT)]),
        }
        command = [sys.executable, "-m", "openhands_plugin.v1", "--headless", "--task", "TASK-ID: cli\nCount."]
        subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, timeout=180, check=True)
    last = model.log[-1].messages
    hidden = [text.startswith("[Output of") for text in texts(last, "tool")]
    assert len(hidden) == 10
    assert any(hidden)
    assert hidden == sorted(hidden, reverse=True)
