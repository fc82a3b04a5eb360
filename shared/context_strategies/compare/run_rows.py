"""One run under one strategy as a plain value of a few hundred bytes: what is left of a replay once it is done."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from context_strategies.compare.evaluate import Result


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run under one strategy in one market, without its calls: what tables, files and totals are made of.

    ``prices`` and ``cache`` name what it was billed by. Tokens are summed over calls; costs are US dollars. Facts are
    counted as in :class:`~context_strategies.compare.rows.Row`, but ``available`` and ``first_available`` are how many
    of them were shown.
    """

    market: str
    prices: str
    cache: str
    source: str
    id: str
    format: str
    recorded_model: str
    turns: int
    strategy: str
    calls: int
    prompt: int
    raw_prompt: int
    cached: int
    peak: int
    moves: int
    cost: float
    summary_cost: float
    refetch_cost: float
    needed: int
    available: int
    first: int
    first_available: int
    retained: float
    host_marks: float | None
    recorded_cost: float | None
    condensed: bool
    lost: tuple[str, ...]


def run_row(result: Result) -> RunRow:
    """``result`` without its calls."""
    run, replay = result.run, result.replay
    seen = [call.seen for call in replay.calls]
    return RunRow(
        market=result.market,
        prices=result.prices.model,
        cache=result.cache,
        source=run.source,
        id=run.id,
        format=run.format,
        recorded_model=run.model,
        turns=run.history.turn_of(len(run.history) - 1),
        strategy=result.choice,
        calls=len(replay.calls),
        prompt=replay.prompt,
        raw_prompt=replay.raw_prompt,
        cached=replay.cached,
        peak=replay.peak,
        moves=replay.moves,
        cost=replay.cost,
        summary_cost=replay.summary_cost,
        refetch_cost=replay.refetch_cost,
        needed=sum(one.needed for one in seen),
        available=sum(one.visible for one in seen),
        first=sum(one.first for one in seen),
        first_available=sum(one.first_visible for one in seen),
        retained=replay.retained,
        host_marks=result.host_marks,
        recorded_cost=run.cost,
        condensed=run.condensed,
        lost=run.lost,
    )


def by_run(rows: Sequence[RunRow]) -> Iterator[Sequence[RunRow]]:
    """``rows`` one run and market at a time: the raw agent's, which come first in each, tell where the next begins."""
    starts = [place for place, row in enumerate(rows) if row.strategy == "raw"]
    for start, stop in pairwise([*starts, len(rows)]):
        yield rows[start:stop]
