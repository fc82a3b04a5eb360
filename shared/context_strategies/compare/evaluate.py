"""Recorded runs x strategies x prices: every replay, one run at a time, so that memory does not grow with their
number.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial

from context_strategies.cache import Automatic, Cache, Marked, NoCache
from context_strategies.catalogue import Entry, known_models, prices_of
from context_strategies.context import Context
from context_strategies.measure import Measure
from context_strategies.prices import Prices, Usage, relative
from context_strategies.replay import Replay, Weighed, replay
from context_strategies.strategies import Strategy
from context_strategies.summarizers import Summarizer
from context_strategies.terms import terms_for
from context_strategies.trajectories import Trajectory

CACHES = ("auto", "prefix", "marked", "none")
"""Cache models by name; auto: marked for models that cache by explicit marks, otherwise prefix."""

RECORDED = "recorded"
"""In the place of a model's name: each run at the prices of the model it was recorded with."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A strategy and the name a table shows it by."""

    label: str
    strategy: Strategy


@dataclass(frozen=True, slots=True)
class Market:
    """Prices to replay at: of ``model`` (empty: the assumed ones), with a user's ``own`` entries, through ``cache``."""

    model: str = ""
    cache: str = "auto"
    own: Mapping[str, Entry] | None = None

    def prices(self, run: Trajectory) -> Prices:
        """What ``run`` is billed at."""
        return self.prices_of(run.model if self.model == RECORDED else self.model)

    def prices_of(self, model: str) -> Prices:
        """The prices of ``model``, assumed ones where it has none."""
        return prices_of(model, self.own) if model else relative()

    def suggestion(self) -> str:
        """One line on what else the model may be called."""
        known = known_models(self.own)
        if not known:
            return "No price file is installed: pip install 'context-strategies[litellm]', or give --prices FILE."
        close = get_close_matches(self.model, known, n=3, cutoff=0.5)
        return f"Did you mean {' or '.join(close)}?" if close else "Give --prices FILE for your own."

    def cache_name(self, prices: Prices) -> str:
        """The cache model in use at ``prices``."""
        if self.cache != "auto":
            return self.cache
        return "marked" if prices.explicit else "prefix"

    def meter(self, prices: Prices, *, settled: bool = True) -> Callable[[], Cache]:
        """Makes the cache that one run meets."""
        name = self.cache_name(prices)
        if name == "none":
            return NoCache
        if name == "marked":
            return lambda: Marked(prices, settled, prices.min_cacheable)
        return lambda: Automatic(prices, prices.min_cacheable, prices.granularity)


@dataclass(slots=True)
class Beside:
    """A cache that answers as ``meter`` does, and notes what ``other`` says of the same requests."""

    meter: Cache
    other: Cache
    usages: list[Usage] = field(default_factory=list)

    def usage(self, measure: Measure, before: Context | None, now: Context, output: int) -> Usage:
        """The meter's answer."""
        self.usages.append(self.other.usage(measure, before, now, output))
        return self.meter.usage(measure, before, now, output)


@dataclass(frozen=True, slots=True)
class Result:
    """One run under one strategy in one market. ``host_marks`` is the cost with the scaffold's own cache marks alone,
    where the cache goes by marks.
    """

    run: Trajectory
    choice: str
    market: str
    prices: Prices
    cache: str
    replay: Replay
    host_marks: float | None = None


def evaluate(
    run: Weighed,
    choices: Iterable[Choice],
    market: Market,
    author: Summarizer | None = None,
    *,
    watched: Callable[[Cache], Cache] = lambda cache: cache,
) -> Iterator[Result]:
    """``run`` under each of ``choices`` in ``market``; summaries are ``author``'s, by default the extractive digest.
    Each replay meets the cache that ``watched`` makes of its own.
    """
    prices = market.prices(run.trajectory)
    cache = market.cache_name(prices)
    for choice in choices:
        terms = terms_for(choice.strategy, prices, cached=cache != "none")
        beside = Beside(market.meter(prices)(), market.meter(prices, settled=False)())
        meter = partial(watched, beside if cache == "marked" else beside.meter)
        done = replay(run, choice.strategy, terms, meter, prices=prices, author=author)
        alone = sum(map(prices.price, beside.usages)) + done.summary_cost if cache == "marked" else None
        yield Result(run.trajectory, choice.label, market.model, prices, cache, done, alone)
