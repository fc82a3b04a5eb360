"""Damaged recordings of every format: what comes out is runs that hold together, and refusals of one line."""

import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given

from context_strategies.compare.evaluate import Choice, Market, evaluate
from context_strategies.replay import weigh, with_knowledge
from context_strategies.strategies import choose
from context_strategies.tokens import ESTIMATE
from context_strategies.trajectories import Call, Refusal, Trajectory, read
from context_strategies.trajectories.atif_export import written
from fuzz.conftest import bounded
from fuzz.damage import damaged
from fuzz.seeds import seeds

FOLDERS = seeds()
CHOICES = [Choice(name, choose(name)) for name in ("masking:keep_facts=5", "hybrid:every=2,window=1")]
LONGEST_LINE = 2_000


def fill(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def is_line(text: str) -> bool:
    return len(text.splitlines()) == 1 and len(text) < LONGEST_LINE and text.replace("\t", " ").isprintable()


def assert_sound(call: Call, length: int) -> None:
    assert 0 <= call.upto <= length
    assert call.cost is None or (math.isfinite(call.cost) and call.cost > 0)
    if call.usage:
        assert min(call.usage.prompt, call.usage.cached, call.usage.written, call.usage.output) >= 0
        assert call.usage.cached + call.usage.written <= call.usage.prompt


def assert_whole(run: Trajectory) -> None:
    """Assert that ``run`` holds together, and that a replay and an export take it."""
    assert all(isinstance(value, str) for value in (run.id, run.model, run.exit_status, run.source, *run.lost))
    assert run.cost is None or (math.isfinite(run.cost) and run.cost > 0)
    for call in (*run.calls, *run.side_calls):
        assert_sound(call, len(run.history))
    assert all(before.upto <= after.upto for before, after in pairwise(run.calls))
    line = written(run)
    assert isinstance(line, str) or is_line(str(line))
    if run.calls:
        assert list(evaluate(with_knowledge(weigh(run, ESTIMATE)), CHOICES, Market()))


def test_seeds_are_read() -> None:
    assert len(FOLDERS) >= 12


@pytest.mark.parametrize("number", range(len(FOLDERS)))
def test_each_seed_is_valid(number: int, tmp_path: Path) -> None:
    fill(tmp_path / "runs", FOLDERS[number])
    for result in read([tmp_path / "runs"]):
        assert isinstance(result, Trajectory), result
        assert_whole(result)


def test_readers(hunt: Callable[[Callable[[], None]], None], tmp_path: Path) -> None:
    @given(damaged(FOLDERS))
    def find(files: dict[str, bytes]) -> None:
        folder = tmp_path / "".join(sorted(files))[:100].replace("/", "-")  # one a seed: a change is few writes
        fill(folder, files)
        with bounded():
            for result in read([folder]):
                if isinstance(result, Refusal):
                    assert is_line(str(result)), str(result)
                else:
                    assert_whole(result)

    hunt(find)
