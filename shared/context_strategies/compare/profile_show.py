"""A profile as tables for people and JSON for programs."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import median_low
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from context_strategies.compare.profile import Advice, Profile, advice_of
from context_strategies.compare.rows import Block, Row
from context_strategies.compare.show import CAUTION, caption_of, dollars, plain_table, short
from context_strategies.fields import count
from context_strategies.trajectories import Refusal

LEGEND = (
    "context: tokens of the raw agent's request; scratchpad: those that the run has added to the task; re-read: tokens "
    "of earlier requests sent again, so far; pays from call: the first from which the strategy's cost so far stays "
    "below the raw agent's, median of the runs where it does."
)


@dataclass(frozen=True, slots=True)
class Payback:
    """What a strategy comes to over all runs, and from which call it pays: the median of the ``runs`` where it does."""

    strategy: str
    cost_against_raw: float
    available: float
    break_even: int | None
    runs: int


def paybacks(rows: Iterable[Row], profiles: Sequence[Profile]) -> list[Payback]:
    """One for each strategy but raw."""
    found = []
    for row in rows:
        if row.strategy == "raw":
            continue
        steps = [step for run in profiles if (step := run.break_even[row.strategy]) is not None]
        middle = median_low(steps) if steps else None
        found.append(Payback(row.strategy, row.cost_against_raw, row.available, middle, len(steps)))
    return found


def as_json(
    profiles: Sequence[Profile],
    block: Block,
    counter: str,
    failures: Sequence[str],
    refusals: Iterable[Refusal],
) -> dict[str, Any]:
    """Everything the tables show, for every run."""
    rows = block.rows()
    return {
        "counter": counter,
        "note": CAUTION,
        "prices": sorted(block.prices),
        "cache": sorted(block.caches),
        "runs": [asdict(run) for run in profiles],
        "strategies": [asdict(one) for one in paybacks(rows, profiles)],
        "advice": asdict(advice_of(rows)),
        "failures": list(failures),
        "refused": [asdict(refusal) for refusal in refusals],
    }


def print_profile(console: Console, profiles: Sequence[Profile], block: Block, counter: str) -> None:
    """A line a run, the longest one step by step, what the tokens are, when each strategy pays, and advice."""
    longest = max(profiles, key=lambda run: run.calls)
    if len(profiles) > 1:
        console.print(_overview(profiles))
    console.print(_grown(longest, alone=len(profiles) == 1), markup=False, highlight=False)
    console.print(_steps(longest))
    console.print(_parts(profiles))
    rows = block.rows()
    table = _paybacks(paybacks(rows, profiles), len(profiles))
    table.caption = caption_of(block, counter)
    console.print(table)
    print_advice(console, advice_of(rows))
    console.print(LEGEND, CAUTION, sep="\n", style="dim")


def print_advice(console: Console, advice: Advice) -> None:
    """The line, and the configuration below it."""
    console.print(advice.line, highlight=False, markup=False)
    for place, line in advice.config.items():
        console.print(f"[bold]{place}[/bold]")
        console.print(line, markup=False, highlight=False, soft_wrap=True)  # to be copied as it is


def _overview(profiles: Sequence[Profile]) -> Table:
    table = plain_table(
        f"{len(profiles)} runs", "run", "calls", "peak", "growth", "a step", "R²", "re-read", "$ re-read", "$"
    )
    for run in profiles:
        table.add_row(
            escape(run.id),
            f"{run.calls}",
            short(run.peak),
            str(run.growth.shape),
            short(run.growth.per_step),
            f"{run.growth.fit:.2f}",
            short(run.last.reread),
            dollars(run.last.reread_cost),
            dollars(run.last.cost),
        )
    return table


def _grown(run: Profile, *, alone: bool) -> str:
    growth = run.growth
    return (
        f"{'' if alone else 'The longest: '}{run.id}, {count(run.calls, 'call')}, {growth.shape} growth: "
        f"{growth.per_step:,.0f} tokens a step (R² {growth.fit:.2f})"
    )


def _steps(run: Profile) -> Table:
    table = plain_table("", "call", "context", "scratchpad", "re-read", "$ re-read", "$ so far")
    for at in run.steps:
        sizes = (f"{number:,}" for number in (at.context, at.scratchpad, at.reread))
        table.add_row(f"{at.step}", *sizes, dollars(at.reread_cost), dollars(at.cost))
    return table


def _parts(profiles: Sequence[Profile]) -> Table:
    table = plain_table("What the tokens are", "message", "of the run", "of all that was read")
    names = list(dict.fromkeys(name for run in profiles for name in run.parts))
    once = sum(sum(run.parts.values()) for run in profiles) or 1
    read = sum(sum(run.read.values()) for run in profiles) or 1
    for name in names:
        mine = sum(run.parts.get(name, 0) for run in profiles)
        reading = sum(run.read.get(name, 0) for run in profiles)
        table.add_row(name, f"{mine / once:.0%}", f"{reading / read:.0%}")
    return table


def _paybacks(found: Sequence[Payback], runs: int) -> Table:
    table = plain_table(
        "When each strategy pays", "strategy", "pays from call", "in runs", "cost of raw", "facts shown"
    )
    for one in found:
        step = "never" if one.break_even is None else f"{one.break_even}"
        shares = f"{one.cost_against_raw:.0%}", f"{one.available:.1%}"
        table.add_row(escape(one.strategy), step, f"{one.runs} of {runs}", *shares)
    return table
