"""Masking schedules against the raw agent and the best schedule in hindsight, over pairs of cache prices."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from context_strategies.cache import Automatic
from context_strategies.compare.rows import DEARER
from context_strategies.optimum import optimum
from context_strategies.prices import relative
from context_strategies.replay import Weighed, replay
from context_strategies.strategies import choose
from context_strategies.terms import terms_for

COLUMNS: tuple[tuple[float, float], ...] = ((1, 1), (0.4, 1), (0.25, 1), (0.1, 1), (0.1, 1.25))
"""Prices of a cached token, read and write, as shares of the input price; output costs five times the input."""

BEST = "best in hindsight"


@dataclass(frozen=True, slots=True)
class Cell:
    """A schedule at one pair of cache prices: pooled cost of raw, pooled cost of the hindsight optimum, the dearest
    run's cost of raw and its id, and how many runs are dearer than raw by over 2 %.
    """

    schedule: str
    read: float
    write: float
    of_raw: float
    of_best: float
    worst: float
    worst_run: str
    dearer: int


def cells(runs: Sequence[Weighed], schedules: Iterable[str], window: int = 10) -> list[Cell]:
    """Every schedule (a value of masking's ``refresh``) at every pair of cache prices, and the hindsight optimum."""
    found: list[Cell] = []
    for read, write in COLUMNS:
        raw = [_cost(run, "raw", read, write) for run in runs]
        best = [optimum(run, relative(read, write), window) for run in runs]
        costs = {
            name: [_cost(run, f"masking:window={window},refresh={name}", read, write) for run in runs]
            for name in schedules
        }
        for name, row in {**costs, BEST: best}.items():
            ratios = [cost / base for cost, base in zip(row, raw, strict=True)]
            worst, place = max((ratio, place) for place, ratio in enumerate(ratios))
            found.append(
                Cell(
                    schedule=name,
                    read=read,
                    write=write,
                    of_raw=sum(row) / sum(raw),
                    of_best=sum(row) / sum(best),
                    worst=worst,
                    worst_run=runs[place].trajectory.id,
                    dearer=sum(ratio > DEARER for ratio in ratios),
                )
            )
    return found


def _cost(run: Weighed, spec: str, read: float, write: float) -> float:
    prices = relative(read, write)
    strategy = choose(spec)
    return replay(run, strategy, terms_for(strategy, prices), lambda: Automatic(prices)).cost
