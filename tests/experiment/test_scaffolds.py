"""What each scaffold is started with."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from context_strategies.experiment.cell import environment
from context_strategies.experiment.cells import Cell
from context_strategies.experiment.scaffolds import COMMANDS
from experiment_files import Make

SELECTION = [{"id": "some", "subset": "verified", "slice": "0:5", "filter": "astropy", "workers": 3}]
SERVED = [{"name": "openai/local", "api_base": "http://127.0.0.1:1/v1", "key": "MY_KEY"}]


def command(cell: Cell, workspace: Path | None) -> list[str]:
    cell.folder.mkdir(parents=True)
    return COMMANDS[cell.scaffold](cell, workspace)


def of(make: Make, scaffold: str, strategy: str, **more: Any) -> Cell:
    scaffolds = {scaffold: {"arguments": ["--more", "x"]}}
    return make({"one": "Do it."}, scaffolds=scaffolds, strategies=[strategy], **more).cells[0]


def written(cell: Cell, name: str) -> Any:
    return yaml.safe_load((cell.folder / name).read_text())


def test_mini_in_a_folder(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret")
    cell = of(make, "mini", "masking:window=5", models=SERVED)
    words = command(cell, tmp_path)
    assert words[:2] == ["-m", "minisweagent.run.mini"]
    assert words[-2:] == ["--more", "x"]
    assert str(cell.folder / "one.traj.json") in words
    assert written(cell, "mini.yaml") == {
        "model": {
            "model_name": "openai/local",
            "cost_tracking": "ignore_errors",
            "model_class": "mini_swe_agent_plugin.ContextModel",
            "context": {"type": "masking", "window": 5},
            "model_kwargs": {"api_base": "http://127.0.0.1:1/v1"},
        },
        "agent": {"cost_limit": 3.0},
        "run": {"task": "Do it."},
        "environment": {"cwd": str(tmp_path)},
    }


def test_raw_is_the_scaffold_as_it_is(make: Make, tmp_path: Path) -> None:
    cell = of(make, "mini", "raw")
    command(cell, tmp_path)
    assert "model_class" not in written(cell, "mini.yaml")["model"]
    cell = of(make, "openhands_v1", "raw")
    command(cell, tmp_path)
    assert written(cell, "openhands.yaml")["strategy"] is None
    chain = "--agent.history_processors="
    words = command(of(make, "sweagent", "raw"), tmp_path)
    (given,) = [json.loads(word.removeprefix(chain)) for word in words if word.startswith(chain)]
    assert given == [{"type": "cache_control", "last_n_messages": 2}]


def test_mini_on_a_selection(make: Make) -> None:
    words = command(of(make, "mini", "masking", instances=SELECTION), None)
    assert words[1] == "minisweagent.run.benchmarks.swebench"
    line = " ".join(words)
    assert "--subset verified --split test --workers 3 --slice 0:5 --filter astropy" in line


def test_swe_agent(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret")
    words = command(of(make, "sweagent", "masking:window=5,refresh=1", models=SERVED), tmp_path)
    assert words[:3] == ["-m", "swe_agent_plugin", "run"]
    assert (
        '--agent.history_processors=[{"type": "masking", "window": 5, "refresh": 1}, {"type": "cache_control"'
        in str(words)
    )
    assert {f"--env.repo.path={tmp_path}", "--problem_statement.id=one"} <= set(words)
    assert {"--agent.model.api_key=$MY_KEY", "--agent.model.per_instance_cost_limit=3.0"} <= set(words)
    assert "secret" not in str(words)
    words = command(of(make, "sweagent", "masking", instances=SELECTION), None)
    assert words[2] == "run-batch"
    assert {"--instances.subset=verified", "--instances.slice=0:5", "--num_workers=3"} <= set(words)


def test_openhands(make: Make, tmp_path: Path) -> None:
    cell = of(make, "openhands_v1", "masking:window=5")
    assert command(cell, tmp_path)[:2] == ["-m", "openhands_plugin.v1.run"]
    config = written(cell, "openhands.yaml")
    assert config["strategy"] == {"type": "masking", "window": 5}
    assert (config["task"], config["workspace"], config["budget"]) == ("Do it.", str(tmp_path), 3.0)


def test_a_key_goes_where_litellm_looks_and_nowhere_else(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret")
    for name, variable in (("gpt-5", "OPENAI_API_KEY"), ("anthropic/claude-x", "ANTHROPIC_API_KEY")):
        (cell,) = make(models=[{"name": name, "key": "MY_KEY"}], scaffolds={"mini": {"environment": {"A": "b"}}}).cells
        variables = environment(cell, {"MY_KEY": "secret", "PYTHONPATH": "shared:."})
        assert variables[variable] == "secret"
        assert variables["A"] == "b"
        assert all(Path(part).is_absolute() for part in variables["PYTHONPATH"].split(":"))
