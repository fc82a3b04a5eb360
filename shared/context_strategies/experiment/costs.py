"""What a cell cost, by what its scaffold recorded, and how often its strategy failed."""

from dataclasses import dataclass
from pathlib import Path

from context_strategies.catalogue import prices_of
from context_strategies.events import holds_events
from context_strategies.fields import section
from context_strategies.trajectories import Trajectory, read
from context_strategies.trajectories.raw import parse_lines


@dataclass(frozen=True, slots=True)
class Recorded:
    """Calls found in a folder, and their cost in US dollars, None where one of the runs tells none.

    ``fallbacks`` counts the events in which a strategy or a summarizer failed and something else was done.
    """

    calls: int
    cost: float | None
    fallbacks: int


def recorded(folder: Path) -> Recorded:
    """What the recordings in ``folder`` say: the scaffold's own figure, else its usage at the model's known prices."""
    calls = 0
    costs: list[float | None] = []
    for run in read([folder]) if folder.is_dir() else ():  # each forgotten before the next: a cell may hold hundreds
        if isinstance(run, Trajectory):
            calls += run.totals.calls if run.totals else len(run.calls) + len(run.side_calls)
            costs.append(run.cost if run.cost is not None else _priced(run))
    known = [cost for cost in costs if cost is not None]
    cost = sum(known) if costs and known == costs else None
    return Recorded(calls, cost, sum(map(_fallbacks, filter(holds_events, folder.rglob("*.jsonl")))))


def _priced(run: Trajectory) -> float | None:
    prices = prices_of(run.model)
    calls = [*run.calls, *run.side_calls]
    usages = [call.usage for call in calls if call.usage is not None]
    return None if prices.assumed or len(usages) < len(calls) else sum(map(prices.price, usages))


def _fallbacks(events: Path) -> int:
    return sum(section(value).get("event") == "fallback" for _, value in parse_lines(events))
