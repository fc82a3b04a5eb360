"""The unmodified OpenHands command, and the launcher: a process each."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from context_strategies.testing import ScriptedModel
from openhands_v0_runs import BIG, FINISH, OpenHands, shown

ROOT = Path(__file__).resolve().parents[3]
MASKING = '[condenser]\ntype = "masking"\nwindow = 2\nrefresh = 1'


def command(module: str, config: Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-W", "ignore", "-m", module, "--config-file", str(config), "-t", "Do it."]
    paths = os.pathsep.join([str(ROOT / "shared"), str(ROOT)])
    env = {**os.environ, "PYTHONPATH": paths}
    return subprocess.run(line, cwd=config.parent, env=env, capture_output=True, text=True, timeout=120, check=False)


def test_the_unmodified_command_with_a_classpath(openhands: OpenHands) -> None:
    with ScriptedModel([*BIG[:5], FINISH]) as model:
        done = command("openhands.core.main", openhands.write_config(model.url, MASKING))
    assert done.returncode == 0, done.stderr[-2000:]
    assert sum("hidden" in text for _, text in shown(model.log[-1])) == 3


def test_the_launcher_needs_no_classpath(openhands: OpenHands) -> None:
    with ScriptedModel([*BIG[:5], FINISH]) as model:
        config = openhands.write_config(model.url, MASKING)
        config.write_text(config.read_text().replace("classpath", "# classpath"))
        done = command("openhands_plugin", config)
    assert done.returncode == 0, done.stderr[-2000:]
    assert sum("hidden" in text for _, text in shown(model.log[-1])) == 3


@pytest.mark.parametrize("module", ["openhands.core.main"])
def test_a_mistake_ends_the_command(openhands: OpenHands, module: str) -> None:
    done = command(module, openhands.write_config("http://127.0.0.1:9", '[condenser]\ntype = "masknig"'))
    assert done.returncode == 1
    assert 'unknown type "masknig"' in done.stderr
    assert "Traceback" not in done.stderr
