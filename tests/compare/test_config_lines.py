"""The lines that a strategy is configured by say what was asked for, in whatever way it was spelt."""

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from context_strategies.compare.config_lines import KINDS, config_lines
from context_strategies.strategies import choose

SWE, V0, V1, MINI = (
    "SWE-agent (agent.history_processors)", "OpenHands config.toml", "OpenHands SDK (agent.condenser)",
    "mini-swe-agent (model)",
)  # fmt: skip


def told(lines: dict[str, str]) -> dict[str, Any]:
    """The strategy that each scaffold would make of its lines."""
    condenser = tomllib.loads(lines[V0])["condenser"]
    found = {
        V0: {key: None if value == "null" else value for key, value in condenser.items()},
        MINI: yaml.safe_load(lines[MINI])["context"],
    }
    if SWE in lines:
        ours, marks = yaml.safe_load(lines[SWE])
        assert marks == {"type": "cache_control", "last_n_messages": 2}
        found[SWE] = ours
    if V1 in lines:
        types = {kind: name for name, kind in KINDS.items()}
        document = json.loads(lines[V1])
        found[V1] = {"type": types[document.pop("kind")], **document}
    return found


HOSTILE = (
    "raw",
    "masking",
    "masking:window=20,refresh={min_tokens: 5}",
    "masking:max_tokens=null,cache=off",
    "rolling_summary:preserve=[a,b],every=break_even",
    "rolling_summary:preserve=['\"x\\d{1,2}\"', ' # ', 'null', '\u00e9\U0001f600\u2028']",
    'rolling_summary:preserve=["a\\tb\\x7f\\n c", "\'"]',
    "hybrid:summarizer={model: 'a: {b}, c', retries: 0},at_fraction=1e-05",
    'llm_summary:summarizer="yes",at_tokens=7',
)


@pytest.mark.parametrize("spec", HOSTILE)
def test_every_scaffold_is_told_the_strategy_that_was_asked_for(spec: str) -> None:
    lines = config_lines(spec)
    assert all(line.count("\n") == 0 for place, line in lines.items() if place != V0)
    found = told(lines)
    assert {choose(one) == choose(spec) for one in found.values()} == {True}
    assert set(found) == {SWE, V0, MINI} | ({V1} if not spec.startswith("raw") else set())


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1), st.integers(1), st.none() | st.integers(1)
)
def test_any_fields_come_back(model: list[str], every: int, max_tokens: int | None) -> None:
    texts = [f" {text}." for text in model]
    fields = {"summarizer": {"model": texts[0], "api_base": texts[-1]}, "every": every, "max_tokens": max_tokens}
    spec = {"type": "hybrid", **fields}
    lines = config_lines(spec)
    assert {choose(one) == choose(spec) for one in told(lines).values()} == {True}


def test_a_file_is_told_by_what_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text("type: masking\nkeep_tags: [a, b]\nrefresh: 3\n")
    assert told(config_lines(str(path)))[SWE] == {"type": "masking", "keep_tags": ["a", "b"], "refresh": 3}


def test_a_class_of_ones_own_is_told_to_the_scaffolds_that_can_load_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_pkg").mkdir()
    (tmp_path / "own_pkg" / "mod.py").write_text(
        "from typing import Any, Literal\n"
        "from context_strategies import Settings\n"
        "class Mine(Settings):\n"
        '    type: Literal["mine"] = "mine"\n'
        "    x: int = 0\n"
        "    table: dict[str, Any] = {}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    lines = config_lines("own_pkg.mod:Mine:x=1,table={'a b': [{c: true}]}")
    found = told(lines)
    assert set(found) == {V0, MINI}
    assert all(one == {"type": "own_pkg.mod:Mine", "x": 1, "table": {"a b": [{"c": True}]}} for one in found.values())
    del sys.modules["own_pkg.mod"]


def test_no_key_is_told() -> None:
    lines = config_lines("hybrid:summarizer={model: m, api_key: secret}")
    assert not any("secret" in line for line in lines.values())
    assert told(lines)[V1]["summarizer"] == {"model": "m"}
