"""What a cell's folder says of its cost and of what failed, found out a run at a time."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from weakref import WeakSet

import pytest

from context_strategies.experiment import costs
from context_strategies.experiment.costs import Recorded, recorded
from context_strategies.history import History
from context_strategies.trajectories import Call, Refusal, Trajectory

EVENTS = [
    {"id": 0, "source": "user", "action": "message", "args": {"content": "Fix a.py."}},
    {"id": 1, "source": "agent", "action": "message", "args": {"content": "Done."},
     "llm_metrics": {"accumulated_cost": 0.5}},
]  # fmt: skip


@pytest.mark.parametrize("name", ["context.jsonl", "a.context.jsonl", "context-strategies.jsonl"])
def test_fallbacks_are_counted_under_every_name_of_an_events_file(tmp_path: Path, name: str) -> None:
    session = tmp_path / "sessions" / "s-1"
    (session / "events").mkdir(parents=True)
    for event in EVENTS:
        (session / "events" / f"{event['id']}.json").write_text(json.dumps(event))
    (session / name).write_text('{"event": "step"}\n{"event": "fallback"}\n')
    assert recorded(tmp_path) == Recorded(calls=1, cost=0.5, fallbacks=1)


class Watched(Trajectory):
    """One that can be referred to weakly."""


def run(number: int, cost: float | None = None) -> Watched:
    return Watched(str(number), "x", "x", "nobody/knows", History(), (Call(0),), cost=cost, side_calls=(Call(0),))


@pytest.mark.parametrize(
    ("prices", "expected"), [([0.5, 0.25], 0.75), ([0.5, None], None), ([None], None), ([], None), ([0.0], 0.0)]
)
def test_a_cost_is_known_if_that_of_every_run_is(
    prices: list[float | None], expected: float | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = [Refusal("x", "none"), *(run(number, price) for number, price in enumerate(prices))]
    monkeypatch.setattr(costs, "read", lambda _paths: iter(read))
    assert recorded(tmp_path) == Recorded(calls=2 * len(prices), cost=expected, fallbacks=0)
    assert recorded(tmp_path / "none") == Recorded(calls=0, cost=None, fallbacks=0)


def test_runs_are_not_held_in_memory_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alive: WeakSet[Watched] = WeakSet()

    def read(_paths: Iterable[Path]) -> Iterator[Trajectory]:
        for number in range(5):
            assert len(alive) <= 1
            one = run(number, 1.0)
            alive.add(one)
            yield one
            del one

    monkeypatch.setattr(costs, "read", read)
    assert recorded(tmp_path).cost == 5.0
