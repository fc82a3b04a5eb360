"""What benchmarks over recorded runs share: which runs those are, and what a strategy comes to on them."""

import sys
from pathlib import Path
from typing import NamedTuple

from context_strategies.cache import Automatic
from context_strategies.prices import relative
from context_strategies.replay import Weighed, replay, weigh
from context_strategies.strategies import choose
from context_strategies.terms import terms_for
from context_strategies.tokens import Counter
from context_strategies.trajectories import Refusal, read

ROOT = Path(__file__).resolve().parents[1]
SHORTEST = 15
"""Turns of the shortest run that schedules and windows are compared on."""


class Point(NamedTuple):
    """A strategy over runs: cost in US dollars, the shares of needed facts and of those of first use that are shown,
    and the largest request in tokens.
    """

    cost: float
    shown: float
    first_shown: float
    peak: int


def paths() -> list[Path]:
    """Those that the command line names; by default the shared recordings, or else the examples."""
    shared = ROOT.parent / "shared" / "data" / "trajectories"
    return [Path(path) for path in sys.argv[1:]] or [shared if shared.is_dir() else ROOT / "examples" / "recordings"]


def long_runs(counter: Counter) -> list[Weighed]:
    """The runs under :func:`paths` that are not too short, weighed by ``counter``."""
    found = (run for run in read(paths()) if not isinstance(run, Refusal))
    return [weigh(run, counter) for run in found if run.history.turns >= SHORTEST]


def point(runs: list[Weighed], spec: str, cache_read: float, cache_write: float) -> Point:
    """What the strategy ``spec`` comes to on ``runs`` (with knowledge), prices in units of the input price, prefixes
    cached without a minimum.
    """
    prices, strategy = relative(cache_read, cache_write), choose(spec)
    done = [replay(run, strategy, terms_for(strategy, prices), lambda: Automatic(prices)) for run in runs]
    seen = [call.seen for one in done for call in one.calls]
    needed, first = sum(one.needed for one in seen), sum(one.first for one in seen)
    shown, first_shown = sum(one.visible for one in seen), sum(one.first_visible for one in seen)
    return Point(sum(one.cost for one in done), shown / needed, first_shown / first, max(one.peak for one in done))
