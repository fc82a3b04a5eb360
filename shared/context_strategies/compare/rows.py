"""From replays to the rows of a table: one a strategy, over all runs, summed up one run at a time."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from context_strategies.compare.run_rows import RunRow


@dataclass(frozen=True, slots=True)
class Row:
    """A strategy over all runs of a market.

    Tokens are summed over calls; ``peak`` is the largest request; ``hidden`` the share of the raw agent's prompt tokens
    that were not sent; ``cached`` and ``summaries`` shares of prompt tokens and of cost; ``against_raw`` ratios to the
    raw agent of prompt tokens and of cost, pooled over runs; ``dearer`` counts runs that cost more than raw by over 2
    %, and ``worst`` is the highest ratio of one run. Costs are US dollars. ``host_marks`` is the pooled ratio with the
    scaffold's own cache marks alone, None where the cache does not go by marks.

    ``needed`` facts are those that the next recorded action uses and an earlier output held, ``available`` the share of
    them that the contexts still show; ``first`` and ``first_available`` the same for those no earlier action holds.
    ``retained`` is the share of facts of all outputs in the last context, mean over runs. ``adjusted`` is the ratio of
    costs with one more turn for each call whose context hides a needed fact: an estimate.
    """

    strategy: str
    runs: int
    calls: int
    prompt: int
    peak: int
    mean: float
    hidden: float
    tokens_against_raw: float
    cost: float
    cost_against_raw: float
    cached: float
    summaries: float
    moves: int
    dearer: int
    worst: float
    host_marks: float | None
    needed: int
    available: float
    first: int
    first_available: float
    retained: float
    adjusted: float


DEARER = 1.02
"""Ratio to the raw agent's cost above which a run counts as dearer."""

COUNTS = ("calls", "prompt", "raw_prompt", "cached", "moves", "needed", "available", "first", "first_available")
AMOUNTS = ("cost", "summary_cost", "refetch_cost", "retained")


@dataclass(slots=True)
class Sum:
    """A running sum that keeps what rounding loses (Neumaier, 1974), as ``sum()`` does since Python 3.12."""

    total: float = 0.0
    lost: float = 0.0

    def add(self, part: float) -> None:
        """One more."""
        total = self.total + part
        large, small = (self.total, part) if abs(self.total) >= abs(part) else (part, self.total)
        self.lost += (large - total) + small
        self.total = total

    def __float__(self) -> float:
        return self.total + self.lost


@dataclass(slots=True)
class Total:
    """A strategy over the runs seen so far; its size does not grow with their number."""

    runs: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    amounts: defaultdict[str, Sum] = field(default_factory=lambda: defaultdict(Sum))
    peak: int = 0
    dearer: int = 0
    worst: float = 0.0

    def add(self, run: RunRow, raw_cost: float) -> None:
        """One more run, which costs the raw agent ``raw_cost``."""
        self.runs += 1
        self.counts.update({name: getattr(run, name) for name in COUNTS})
        for name in AMOUNTS:
            self.amounts[name].add(getattr(run, name))
        self.amounts["raw_cost"].add(raw_cost)
        if run.host_marks is not None:
            self.amounts["host_marks"].add(run.host_marks)
        ratio = _share(run.cost, raw_cost, 1.0)
        self.peak, self.worst = max(self.peak, run.peak), max(self.worst, ratio)
        self.dearer += ratio > DEARER

    def row(self, strategy: str) -> Row:
        """What tables show of it."""
        counts, amounts = self.counts, {name: float(amount) for name, amount in self.amounts.items()}
        prompt, cost, raw_cost = counts["prompt"], amounts["cost"], amounts["raw_cost"]
        tokens_against_raw = _share(prompt, counts["raw_prompt"], 1.0)
        return Row(
            strategy=strategy,
            runs=self.runs,
            calls=counts["calls"],
            prompt=prompt,
            peak=self.peak,
            mean=_share(prompt, counts["calls"]),
            hidden=1 - tokens_against_raw,
            tokens_against_raw=tokens_against_raw,
            cost=cost,
            cost_against_raw=_share(cost, raw_cost, 1.0),
            cached=_share(counts["cached"], prompt),
            summaries=_share(amounts["summary_cost"], cost),
            moves=counts["moves"],
            dearer=self.dearer,
            worst=self.worst,
            host_marks=_share(amounts["host_marks"], raw_cost, 1.0) if "host_marks" in amounts else None,
            needed=counts["needed"],
            available=_share(counts["available"], counts["needed"], 1.0),
            first=counts["first"],
            first_available=_share(counts["first_available"], counts["first"], 1.0),
            retained=_share(amounts["retained"], self.runs, 1.0),
            adjusted=_share(cost + amounts["refetch_cost"], raw_cost, 1.0),
        )


@dataclass(slots=True)
class Block:
    """All runs in one market: the prices and cache models in use, in order of first appearance, and a total a
    strategy.
    """

    prices: dict[str, None] = field(default_factory=dict)
    caches: dict[str, None] = field(default_factory=dict)
    totals: dict[str, Total] = field(default_factory=dict)

    def add(self, runs: Sequence[RunRow]) -> None:
        """One more run: its rows under every strategy, raw among them."""
        raw_cost = {run.strategy: run.cost for run in runs}["raw"]
        for run in runs:
            self.prices[run.prices] = self.caches[run.cache] = None
            self.totals.setdefault(run.strategy, Total()).add(run, raw_cost)

    def rows(self) -> list[Row]:
        """One row a strategy, in order of first appearance."""
        return [total.row(strategy) for strategy, total in self.totals.items()]


def _share(part: float, whole: float, empty: float = 0.0) -> float:
    return part / whole if whole else empty
