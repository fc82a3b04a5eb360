"""The unmodified commands, with the ready configs: one run by ``mini``, a batch by ``mini-extra swebench``."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from context_strategies.testing import ScriptedModel
from mini_host import PRICED, SUBMIT, script

ROOT = Path(__file__).resolve().parents[3]
CONFIGS = ROOT / "configs" / "mini_swe_agent"
BIN = Path(sys.executable).parent


def environment(folder: Path) -> dict[str, str]:
    """The variables of a user who has set mini-swe-agent up, and who is not on any network."""
    return {
        **os.environ,
        "PYTHONPATH": f"{ROOT / 'shared'}:{ROOT}",
        "MSWEA_CONFIGURED": "true",
        "MSWEA_GLOBAL_CONFIG_DIR": str(folder / "config"),
        "HF_HOME": str(folder / "hf"),
        "HF_HUB_OFFLINE": "1",
        "OPENAI_API_KEY": "none",
        "COLUMNS": "300",
    }


def command(folder: Path, name: str, *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    """One command of mini-swe-agent's, with nothing to read from."""
    program = BIN / name
    if not program.exists():
        pytest.skip(f"{name} is not beside this Python")
    return subprocess.run(
        [program, *arguments],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def told(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_a_ready_config_runs(path: Path, tmp_path: Path) -> None:
    with ScriptedModel(script(14)) as server:
        base = f"model.model_kwargs.api_base={server.url}"
        layers = ("-c", "mini.yaml", "-c", path, "-c", base, "-m", PRICED)
        done = command(tmp_path, "mini", *layers, "-t", "Fix it.", "-y", "--exit-immediately", "-o", "run.traj.json")
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
    saved = json.loads((tmp_path / "run.traj.json").read_text())
    assert saved["info"]["exit_status"] == "Submitted"
    assert saved["info"]["context"]["requests"] == len(server.log) == 14
    assert "hidden: " in str(server.log[-1].messages)
    assert "hidden: " not in str(saved["messages"])
    assert len(told(tmp_path / "run.context.jsonl")) == 14


def test_a_strategy_may_be_named_on_the_command_line(tmp_path: Path) -> None:
    with ScriptedModel(script(6)) as server:
        ours = ("-c", "model.context=masking:window=1,refresh=1")
        layers = ("-c", "mini.yaml", *ours, "-c", f"model.model_kwargs.api_base={server.url}", "-m", PRICED)
        chosen = ("--model-class", "mini_swe_agent_plugin.ContextModel")
        done = command(tmp_path, "mini", *layers, *chosen, "-t", "Fix it.", "-y", "--exit-immediately")
    assert done.returncode == 0, done.stderr[-2_000:]
    assert "hidden: " in str(server.log[-1].messages)
    assert (tmp_path / "config" / "last_mini_run.context.jsonl").is_file()


def test_a_wrong_strategy_is_said_before_the_run_begins(tmp_path: Path) -> None:
    chosen = ("-c", "mini.yaml", "-c", "model.model_class=mini_swe_agent_plugin.ContextModel")
    done = command(tmp_path, "mini", *chosen, "-c", "model.context=maskin", "-m", PRICED, "-t", "Fix it.", "-y")
    assert done.returncode == 1
    assert 'model.context: unknown strategy "maskin"; choose one of: raw, masking' in " ".join(done.stderr.split())


def test_a_batch_of_two_workers(tmp_path: Path) -> None:
    names = ("one", "two", "three")
    instances = tmp_path / "instances"
    instances.mkdir()
    lines = [{"instance_id": name, "problem_statement": f"Fix it. TASK-ID: {name}"} for name in names]
    (instances / "test.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    scripts = {name: script(6 + 2 * place) for place, name in enumerate(names)}
    with ScriptedModel(scripts) as server:
        layers = ("-c", "swebench.yaml", "-c", CONFIGS / "recommended.yaml", "-c", f"environment.cwd={tmp_path}")
        reach = ("-c", f"model.model_kwargs.api_base={server.url}", "-m", PRICED, "--environment-class", "local")
        data = ("--subset", instances, "--split", "test", "-w", "2", "-o", "out")
        done = command(tmp_path, "mini-extra", "swebench", *layers, *reach, *data)
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
    for place, name in enumerate(names):
        saved = json.loads((tmp_path / "out" / name / f"{name}.traj.json").read_text())
        assert saved["info"]["exit_status"] == "Submitted"
        assert saved["info"]["context"]["requests"] == 6 + 2 * place
        assert SUBMIT in str(saved["messages"])
        events = told(tmp_path / "out" / name / f"{name}.context.jsonl")
        assert [event["turn"] for event in events] == list(range(6 + 2 * place))
    assert {record.status for record in server.log} == {200}
