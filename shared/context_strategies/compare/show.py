"""Results as a table for people, JSON and CSV for programs."""

import csv
import io
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from context_strategies.compare.evaluate import Result
from context_strategies.compare.recorded import Recorded
from context_strategies.compare.rows import Row, rows_of
from context_strategies.trajectories import Refusal

CAUTION = (
    "A replay holds the recorded run fixed: it says what it would have cost and shown, never what it would have solved."
)

LEGEND = (
    "of raw: cost of the raw agent's, all runs together; worst run: the same for the dearest run; dearer: runs over "
    "102 %; hidden: share of the raw agent's prompt tokens not sent; cached: share of prompt tokens; summary: share "
    "of cost. shown when needed: facts of an earlier output that the next recorded action uses; cost with refetching: "
    "an estimate, of raw, one more turn wherever such a fact is hidden."
)
NAMED = 4
"""Models that a caption names before it counts the rest."""

MARKS_LEGEND = " host's marks: of raw, with the scaffold's own cache marks alone."


def blocks_of(results: Sequence[Result]) -> dict[str, list[Result]]:
    """``results`` by market, in order of first appearance."""
    blocks: dict[str, list[Result]] = {}
    for result in results:
        blocks.setdefault(result.market, []).append(result)
    return blocks


def caption(block: Sequence[Result], counter: str) -> str:
    """Which prices, cache model and counter a table stands on."""
    prices = sorted({result.prices.model for result in block})
    caches = sorted({result.cache for result in block})
    more = f" and {len(prices) - NAMED} more" if len(prices) > NAMED else ""
    named = ", ".join(prices[:NAMED]) + more
    return f"prices: {named}; cache: {', '.join(caches)}; tokens: {counter}"


COLUMNS = (
    "prompt\ntokens", "peak", "mean", "hid-\nden", "$ a\nrun", "of\nraw", "worst\nrun", "dear-\ner", "cach-\ned",
    "sum-\nmary", "moves",
)  # fmt: skip
WIDTH = 100
"""Columns to use where the output is no terminal."""


def console() -> Console:
    """Standard output, wide enough for the table where nothing says how wide it is."""
    out = Console()
    return out if out.is_terminal or "COLUMNS" in os.environ else Console(width=WIDTH)


def print_tables(console: Console, results: Sequence[Result], counter: str) -> None:
    """One table a market."""
    for block in blocks_of(results).values():
        rows = rows_of(block)
        runs, calls = rows[0].runs, rows[0].calls
        title = f"{runs} run{'s' * (runs != 1)}, {calls:,} calls"
        table = Table(title=title, caption=caption(block, counter), box=None, padding=(0, 1, 0, 0), pad_edge=False)
        marked = any(row.host_marks is not None for row in rows)
        table.add_column("strategy", overflow="fold", min_width=11 if marked else 16)
        for name in [*COLUMNS, *(["host's\nmarks"] if marked else [])]:
            table.add_column(name, justify="right", no_wrap=False)
        for row in rows:
            table.add_row(
                escape(row.strategy), *_cells(row), *([f"{row.host_marks:.0%}"] if row.host_marks is not None else [])
            )
        console.print(table)
        console.print(_facts_table(rows))
    legend = LEGEND + (MARKS_LEGEND if any(result.host_marks is not None for result in results) else "")
    console.print(legend, CAUTION, sep="\n", style="dim")


def _facts_table(rows: Sequence[Row]) -> Table:
    """What the contexts still told of what the agent used next."""
    raw = rows[0]
    title = f"{raw.needed:,} facts used again, {raw.first:,} of them for the first time"
    table = Table(title=title, box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("strategy", overflow="fold", min_width=16)
    for name in ("shown when\nneeded", "first\nuse", "kept to\nthe end", "cost with\nrefetching"):
        table.add_column(name, justify="right")
    for row in rows:
        shares = (row.available, row.first_available, row.retained)
        table.add_row(escape(row.strategy), *(f"{share:.1%}" for share in shares), f"{row.adjusted:.0%}")
    return table


def _cells(row: Row) -> list[str]:
    return [
        short(row.prompt),
        short(row.peak),
        short(row.mean),
        f"{row.hidden:.0%}",
        dollars(row.cost / row.runs),
        f"{row.cost_against_raw:.0%}",
        f"{row.worst:.0%}",
        f"{row.dearer}",
        f"{row.cached:.0%}",
        f"{row.summaries:.0%}",
        f"{row.moves:,}",
    ]


def dollars(cost: float) -> str:
    """``cost`` in four digits: 12.34, 0.275, 0.0177."""
    return f"{cost:.4f}" if cost < 0.1 else f"{cost:.3f}" if cost < 10 else f"{cost:.2f}"  # noqa: PLR2004 - four digits


def short(number: float) -> str:
    """``number`` in three digits: 987, 32.2k, 178k, 52.7M."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size:
            scaled = number / size
            return f"{scaled:.1f}{unit}" if scaled < 100 else f"{scaled:.0f}{unit}"  # noqa: PLR2004 - three digits
    return f"{number:.0f}"


def as_json(
    results: Sequence[Result], checks: Iterable[Recorded], refusals: Iterable[Refusal], counter: str
) -> dict[str, Any]:
    """Everything a table shows, every run, and the recorded costs beside the predicted ones."""
    return {
        "counter": counter,
        "note": CAUTION,
        "blocks": [
            {
                "model": market,
                "prices": sorted({result.prices.model for result in block}),
                "cache": sorted({result.cache for result in block}),
                "strategies": [asdict(row) for row in rows_of(block)],
                "runs": [_run(result) for result in block],
            }
            for market, block in blocks_of(results).items()
        ],
        "recorded": [asdict(check) for check in checks],
        "refused": [asdict(refusal) for refusal in refusals],
    }


def _run(result: Result) -> dict[str, Any]:
    run, replay = result.run, result.replay
    return {
        "source": run.source,
        "id": run.id,
        "format": run.format,
        "recorded_model": run.model,
        "turns": run.history.turns,
        "strategy": result.choice,
        "calls": len(replay.calls),
        "prompt": replay.prompt,
        "raw_prompt": replay.raw_prompt,
        "cached": replay.cached,
        "peak": replay.peak,
        "moves": replay.moves,
        "cost": replay.cost,
        "summary_cost": replay.summary_cost,
        "refetch_cost": replay.refetch_cost,
        "needed": sum(call.seen.needed for call in replay.calls),
        "available": sum(call.seen.visible for call in replay.calls),
        "retained": replay.retained,
        "host_marks": result.host_marks,
        "recorded_cost": run.cost,
        "condensed": run.condensed,
        "lost": list(run.lost),
    }


def as_csv(results: Sequence[Result]) -> str:
    """One line a market and strategy."""
    out = io.StringIO()
    names = ["prices", "cache", *(field.name for field in fields(Row))]
    writer = csv.DictWriter(out, names)
    writer.writeheader()
    for block in blocks_of(results).values():
        place = {"prices": "; ".join(sorted({r.prices.model for r in block})), "cache": block[0].cache}
        writer.writerows({**place, **asdict(row)} for row in rows_of(block))
    return out.getvalue()
