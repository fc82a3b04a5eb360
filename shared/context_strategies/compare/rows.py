"""From replays to the rows of a table: one a strategy, over all runs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from context_strategies.compare.evaluate import Result


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


def rows_of(results: Iterable[Result]) -> list[Row]:
    """One row a strategy, in the order of first appearance; ``results`` must hold raw ones for every run."""
    by_choice: dict[str, list[Result]] = {}
    for result in results:
        by_choice.setdefault(result.choice, []).append(result)
    raw = {_key(result): result.replay.cost for result in by_choice["raw"]}
    return [_row(choice, group, raw) for choice, group in by_choice.items()]


def _key(result: Result) -> tuple[str, str]:
    return result.run.source, result.run.id


def _row(choice: str, group: list[Result], raw: Mapping[tuple[str, str], float]) -> Row:
    replays = [result.replay for result in group]
    calls = sum(len(replay.calls) for replay in replays)
    prompt = sum(replay.prompt for replay in replays)
    raw_prompt = sum(replay.raw_prompt for replay in replays)
    cost = sum(replay.cost for replay in replays)
    raw_cost = sum(raw[_key(result)] for result in group)
    alone = [result.host_marks for result in group if result.host_marks is not None]
    seen = [call.seen for replay in replays for call in replay.calls]
    needed, first = sum(one.needed for one in seen), sum(one.first for one in seen)
    ratios = [_share(result.replay.cost, raw[_key(result)], 1.0) for result in group]
    return Row(
        strategy=choice,
        runs=len(group),
        calls=calls,
        prompt=prompt,
        peak=max(replay.peak for replay in replays),
        mean=_share(prompt, calls),
        hidden=1 - _share(prompt, raw_prompt, 1.0),
        tokens_against_raw=_share(prompt, raw_prompt, 1.0),
        cost=cost,
        cost_against_raw=_share(cost, raw_cost, 1.0),
        cached=_share(sum(replay.cached for replay in replays), prompt),
        summaries=_share(sum(replay.summary_cost for replay in replays), cost),
        moves=sum(replay.moves for replay in replays),
        dearer=sum(ratio > DEARER for ratio in ratios),
        worst=max(ratios),
        host_marks=_share(sum(alone), raw_cost, 1.0) if alone else None,
        needed=needed,
        available=_share(sum(one.visible for one in seen), needed, 1.0),
        first=first,
        first_available=_share(sum(one.first_visible for one in seen), first, 1.0),
        retained=_share(sum(replay.retained for replay in replays), len(replays), 1.0),
        adjusted=_share(cost + sum(replay.refetch_cost for replay in replays), raw_cost, 1.0),
    )


def _share(part: float, whole: float, empty: float = 0.0) -> float:
    return part / whole if whole else empty
