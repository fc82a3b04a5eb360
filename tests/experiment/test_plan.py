"""An experiment's file: what it takes, and one clear line for everything else."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from context_strategies.errors import ConfigError
from context_strategies.experiment.cells import cells_of
from context_strategies.experiment.plan import Model, Plan, Scaffold

GOOD: dict[str, Any] = {
    "scaffolds": {"mini": None, "sweagent": {"python": "/opt/swe/bin/python", "arguments": ["--config=a.yaml"]}},
    "strategies": ["raw", "masking:window=5,refresh=1", {"type": "hybrid", "every": 20}],
    "models": ["openai/gpt-5-mini", {"name": "openai/local", "api_base": "http://127.0.0.1:1/v1"}],
    "instances": [{"id": "verified", "subset": "verified", "slice": "0:50"}],
    "budget": 5,
}


def read(folder: Path, **changes: Any) -> Plan:
    path = folder / "e.yaml"
    path.write_text(yaml.safe_dump({**GOOD, **changes}))
    return Plan.read(path)


def test_a_whole_file(tmp_path: Path) -> None:
    plan = read(tmp_path)
    assert plan.scaffolds["mini"] is None
    assert plan.scaffolds["sweagent"] == Scaffold(python="/opt/swe/bin/python", arguments=("--config=a.yaml",))
    assert plan.models[0] == Model(name="openai/gpt-5-mini")
    assert (plan.parallel, plan.timeout, plan.cell_budget, plan.out) == (1, None, 3.0, Path("runs"))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"stratgies": []},
            "stratgies: unknown key; valid keys: scaffolds, strategies, models, instances, out, budget",
        ),
        ({"scaffolds": {"swe": None}}, 'unknown scaffold "swe"; choose of: mini, openhands_v1, sweagent'),
        ({"scaffolds": {"mini": {"pyton": "x"}}}, "scaffolds.mini.pyton: unknown key; valid keys: python, arguments"),
        ({"scaffolds": {}}, "scaffolds: "),
        ({"strategies": ["raw", "maskin"]}, 'strategies[1]: unknown strategy "maskin"; choose one of: raw, masking'),
        ({"strategies": ["masking:windw=5"]}, 'strategies[0]: strategy masking has no field "windw"; valid fields: '),
        ({"strategies": [{"window": 5}]}, "strategies[0]: a strategy needs a type; one of: "),
        ({"strategies": [5]}, "strategies[0]"),
        (
            {"strategies": ["hybrid:summarizer={model: x, api_key: sk-1}"]},
            "strategies[0]: summarizer.api_key: keys stand in no file",
        ),
        ({"models": [{"nam": "x"}]}, "models[0].nam: unknown key; valid keys: name, "),
        ({"models": [{}]}, "models[0].name: is missing"),
        ({"models": "gpt"}, "models: "),
        (
            {"models": [{"name": "x", "key": "NO_SUCH_KEY_HERE"}]},
            "the environment variable NO_SUCH_KEY_HERE is not set",
        ),
        ({"instances": [{"id": "one"}]}, "instances[0]: needs either a folder with a task, or a subset of SWE-bench"),
        ({"instances": [{"id": "one", "folder": "."}]}, "instances[0]: a folder needs a task"),
        ({"instances": [{"id": "../up", "folder": ".", "task": "x"}]}, "instances[0].id: "),
        ({"instances": [{"id": "a", "subset": "lite", "ids": ["../up"]}]}, "instances[0].ids[0]: "),
        ({"instances": [{"id": "one", "folder": "none", "task": "x"}]}, "instances: one: none: no such folder"),
        ({"scaffolds": {"openhands_v1": None}}, "openhands_v1 brings no SWE-bench runner; give a folder and a task"),
        ({"budget": -1}, "budget: "),
        ({"budget": 1, "cell_budget": 0}, "budget: needs a cell_budget"),
        ({"parallel": 0}, "parallel: "),
    ],
)
def test_what_is_wrong_is_one_line_with_its_place(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, **changes)
    assert said in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "e.yaml"))
    assert len(str(caught.value).splitlines()) == 1


ALIASES = "a0: &a0 [x]\n" + "".join(f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 10)}]\n" for n in range(9))


@pytest.mark.parametrize("text", ["- a\n", "a: [", "\x00", "", "a: &a [*a]\n", "[" * 5_000, "a: 2026-13-45\n", ALIASES])
def test_what_is_no_experiment_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "e.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError):
        Plan.read(path)
    with pytest.raises(ConfigError, match="can't be read"):
        Plan.read(tmp_path / "none.yaml")


def test_a_key_is_named_never_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, models=[{"name": "x", "key": "sk-proj-very-secret"}])
    assert "must be the name of an environment variable" in str(caught.value)
    assert "very-secret" not in str(caught.value)
    monkeypatch.setenv("MY_KEY", "very-secret")
    assert read(tmp_path, models=[{"name": "x", "key": "MY_KEY"}]).models[0].key == "MY_KEY"


def test_the_example_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    path = Path(__file__).parents[2] / "examples" / "experiment.yaml"
    assert len(cells_of(Plan.read(path), path)) == 6
