"""What recorded runs read, how their contexts grew, from when on each strategy pays, and which to take."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import sqrt

from context_strategies.compare.config_lines import config_lines
from context_strategies.compare.evaluate import Result
from context_strategies.compare.rows import Row
from context_strategies.growth import Growth, Shape, growth_of
from context_strategies.history import PROTECTED, Kind
from context_strategies.prices import Prices, Usage
from context_strategies.replay import Replay

STEPS = (5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 1_000)
"""Calls at which sizes are told, besides the last."""

PARTS = {
    Kind.SYSTEM: "system",
    Kind.TASK: "task",
    Kind.DEMO: "task",
    Kind.ACTION: "reasoning and actions",
    Kind.OBSERVATION: "observations",
    Kind.NOTE: "notes",
    Kind.SUMMARY: "summaries",
}
"""What a kind of message is called in the table of shares."""

ENOUGH = 0.98
"""Share of needed facts from which on a strategy is suggested."""


@dataclass(frozen=True, slots=True)
class At:
    """The raw agent at call ``step``: the tokens of its request; of these the ``scratchpad``, what the run itself has
    added to the task; tokens ``reread`` so far, those of earlier requests sent again; what these cost, and all so far,
    in US dollars.
    """

    step: int
    context: int
    scratchpad: int
    reread: int
    reread_cost: float
    cost: float


@dataclass(frozen=True, slots=True)
class Profile:
    """One run as the raw agent makes it. ``parts`` are tokens by kind of message, each message once; ``read`` the same
    over all requests; ``break_even`` the first call from which each strategy stays cheaper, None if there is none.
    """

    source: str
    id: str
    model: str
    calls: int
    peak: int
    growth: Growth
    steps: tuple[At, ...]
    parts: dict[str, int]
    read: dict[str, int]
    break_even: dict[str, int | None]

    @property
    def last(self) -> At:
        """The run at its last call."""
        return self.steps[-1]


@dataclass(frozen=True, slots=True)
class Advice:
    """Which strategy to take, in one line, and how to configure it in each scaffold; empty where raw is cheapest."""

    strategy: str
    line: str
    config: dict[str, str]


def profile_of(results: Sequence[Result], sizes: Sequence[int]) -> Profile:
    """The profile of a run, whose messages have these ``sizes`` in tokens, from its replays under every strategy in one
    market, raw first.
    """
    raw = results[0]
    calls = raw.replay.calls
    prompts = [call.raw_prompt for call in calls]
    parts, read, added = _shares(raw, sizes)
    return Profile(
        source=raw.run.source,
        id=raw.run.id,
        model=raw.run.model,
        calls=len(calls),
        peak=max(prompts),
        growth=growth_of(prompts),
        steps=tuple(_steps(raw, added)),
        parts=parts,
        read=read,
        break_even={result.choice: break_even(result, raw) for result in results[1:]},
    )


def _shares(raw: Result, sizes: Sequence[int]) -> tuple[dict[str, int], dict[str, int], list[int]]:
    """Tokens by kind of message, each once and over all requests, and the scratchpad of each request."""
    history = raw.run.history
    uptos = [call.upto for call in raw.run.calls]
    parts: dict[str, int] = {}
    read: dict[str, int] = {}
    task = [0]
    for index, (message, size) in enumerate(zip(history.messages, sizes, strict=True)):
        weight = 0 if index in history.orphans else size
        part = PARTS[message.kind]
        parts[part] = parts.get(part, 0) + weight
        read[part] = read.get(part, 0) + weight * (len(uptos) - bisect_right(uptos, index))
        task.append(task[-1] + (weight if message.kind in PROTECTED else 0))
    added = [call.raw_prompt - task[upto] for call, upto in zip(raw.replay.calls, uptos, strict=True)]
    return parts, read, added


def _steps(raw: Result, added: Sequence[int]) -> Iterator[At]:
    """The run at the calls of ``STEPS`` and at its last."""
    calls = raw.replay.calls
    reread, reread_cost, cost, before = 0, 0.0, 0.0, 0
    for step, (call, scratchpad) in enumerate(zip(calls, added, strict=True), 1):
        again = min(before, call.raw_prompt)
        before = call.raw_prompt
        reread += again
        reread_cost += _read_again(raw.prices, call.usage, again)
        cost += raw.prices.price(call.usage)
        if step in STEPS or step == len(calls):
            yield At(step, call.raw_prompt, scratchpad, reread, reread_cost, cost)


def _read_again(prices: Prices, usage: Usage, again: int) -> float:
    """What the ``again`` tokens cost that the request before had already sent, which are first to be cached."""
    rates = prices.rates(usage.prompt)
    cached = min(usage.cached, again)
    return cached * rates.cache_read + (again - cached) * (rates.cache_write if usage.written else rates.input)


def break_even(one: Result, raw: Result) -> int | None:
    """The first call (from 1) from which the strategy's cost so far stays below the raw agent's; None if it never
    does.
    """
    ours, theirs = _spent(one.replay, one.prices), _spent(raw.replay, raw.prices)
    dearer = [step for step, (our, their) in enumerate(zip(ours, theirs, strict=True), 1) if our >= their]
    first = dearer[-1] + 1 if dearer else 1
    return first if first <= len(theirs) else None


def _spent(replay: Replay, prices: Prices) -> list[float]:
    """Cost so far at each call, summaries included."""
    summaries = [0.0, *accumulate(prices.price(usage) for usage in replay.summaries)]
    answers = accumulate(prices.price(call.usage) for call in replay.calls)
    return [spent + summaries[call.summaries] for spent, call in zip(answers, replay.calls, strict=True)]


def advice_of(rows: Sequence[Row]) -> Advice:
    """The cheapest of ``rows`` that shows enough of the facts the recorded actions use, if any is cheaper than raw.

    Blind truncation is never advised: it hides what it cuts without a word.
    """
    cheaper = [row for row in rows if row.cost_against_raw < 1 and not row.strategy.startswith("truncation")]
    if not cheaper:
        return Advice("raw", "No strategy makes these runs cheaper: leave the context as it is.", {})
    enough = [row for row in cheaper if _shows_enough(row)]
    best = min(enough, key=lambda row: row.cost_against_raw) if enough else max(cheaper, key=lambda row: row.available)
    why = "" if enough else " None that is cheaper than raw shows enough of them: look closer before you do."
    line = (
        f"Take {best.strategy}: {best.cost_against_raw:.0%} of the raw agent's cost, and its contexts show "
        f"{best.available:.1%} of the {best.needed:,} facts that the recorded actions use.{why}"
    )
    return Advice(best.strategy, line, config_lines(best.strategy))


def _shows_enough(row: Row) -> bool:
    """Whether the share of needed facts shown is not below ``ENOUGH`` by more than a standard error: a short run needs
    few facts.
    """
    slack = sqrt(row.available * (1 - row.available) / row.needed) if row.needed else 0.0
    return row.available + slack >= ENOUGH


def failures(profiles: Sequence[Profile], shape: Shape | None, tokens: int | None) -> Iterator[str]:
    """One line for each limit that is exceeded, with the run that exceeds it most and how many others do."""
    grown = [run for run in profiles if shape is not None and run.growth.shape.rank >= shape.rank]
    if grown:
        worst = max(grown, key=lambda run: (run.growth.shape.rank, run.growth.per_step))
        growth = worst.growth
        yield f"{worst.id}: {growth.shape} growth, {growth.per_step:,.0f} tokens a step{_others(grown)}"
    large = [run for run in profiles if tokens is not None and run.peak > tokens]
    if large:
        worst = max(large, key=lambda run: run.peak)
        yield f"{worst.id}: largest request of {worst.peak:,} tokens, over {tokens:,}{_others(large)}"


def _others(runs: Sequence[Profile]) -> str:
    return f" (and {len(runs) - 1} more runs)" if len(runs) > 2 else " (and 1 more run)" if len(runs) > 1 else ""  # noqa: PLR2004
