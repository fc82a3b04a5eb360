"""Results as a table for people, JSON and CSV for programs."""

import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from functools import partial
from typing import Any, TextIO

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from context_strategies.compare.evaluate import Result
from context_strategies.compare.recorded import Recorded
from context_strategies.compare.rows import Block, Row, block_of
from context_strategies.compare.run_rows import RunRow
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


def caption(results: Iterable[Result | RunRow], counter: str) -> str:
    """Which prices, cache model and counter a table stands on."""
    return caption_of(block_of(results), counter)


def caption_of(block: Block, counter: str) -> str:
    """The same for a block."""
    prices = sorted(block.prices)
    more = f" and {len(prices) - NAMED} more" if len(prices) > NAMED else ""
    named = ", ".join(prices[:NAMED]) + more
    return f"prices: {named}; cache: {', '.join(sorted(block.caches))}; tokens: {counter}"


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


def print_tables(console: Console, blocks: Iterable[Block], counter: str) -> None:
    """One table a market."""
    by_marks = False
    for block in blocks:
        rows = block.rows()
        runs, calls = rows[0].runs, rows[0].calls
        title = f"{runs} run{'s' * (runs != 1)}, {calls:,} calls"
        table = Table(title=title, caption=caption_of(block, counter), box=None, padding=(0, 1, 0, 0), pad_edge=False)
        marked = any(row.host_marks is not None for row in rows)
        by_marks |= marked
        table.add_column("strategy", overflow="fold", min_width=11 if marked else 16)
        for name in [*COLUMNS, *(["host's\nmarks"] if marked else [])]:
            table.add_column(name, justify="right", no_wrap=False)
        for row in rows:
            table.add_row(
                escape(row.strategy), *_cells(row), *([f"{row.host_marks:.0%}"] if row.host_marks is not None else [])
            )
        console.print(table)
        console.print(_facts_table(rows))
    console.print(LEGEND + (MARKS_LEGEND if by_marks else ""), CAUTION, sep="\n", style="dim")


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


class Streamed(list[dict[str, Any]]):
    """A list for ``json.dump`` that is never there as a whole: it is made anew each time it is gone through."""

    def __init__(self, rows: Callable[[], Iterable[RunRow]]) -> None:
        super().__init__()
        self._rows = rows

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(_run, self._rows())


def write_json(  # noqa: PLR0913 - what the document holds
    out: TextIO,
    blocks: Mapping[str, Block],
    runs: Callable[[str], Iterable[RunRow]],
    *,
    checks: Iterable[Recorded],
    refusals: Iterable[Refusal],
    counter: str,
    indent: int | None = None,
) -> None:
    """Everything a table shows, every run, and the recorded costs beside the predicted ones; ``blocks`` are by market,
    and ``runs`` gives the rows of one.
    """
    document = {
        "counter": counter,
        "note": CAUTION,
        "blocks": [
            {
                "model": market,
                "prices": sorted(block.prices),
                "cache": sorted(block.caches),
                "strategies": [asdict(row) for row in block.rows()],
                "runs": Streamed(partial(runs, market)),
            }
            for market, block in blocks.items()
        ],
        "recorded": [asdict(check) for check in checks],
        "refused": [asdict(refusal) for refusal in refusals],
    }
    json.dump(document, out, indent=indent)


HIDDEN = ("market", "prices", "cache", "first", "first_available")
"""Fields of a row that the document has elsewhere."""


def _run(row: RunRow) -> dict[str, Any]:
    return {name: value for name, value in asdict(row).items() if name not in HIDDEN}


def as_csv(blocks: Iterable[Block]) -> str:
    """One line a market and strategy."""
    out = io.StringIO()
    names = ["prices", "cache", *(field.name for field in fields(Row))]
    writer = csv.DictWriter(out, names)
    writer.writeheader()
    for block in blocks:
        place = {"prices": "; ".join(sorted(block.prices)), "cache": next(iter(block.caches))}
        writer.writerows({**place, **asdict(row)} for row in block.rows())
    return out.getvalue()
