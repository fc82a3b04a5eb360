"""Results as a table for people, JSON and CSV for programs."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from context_strategies.compare.csv_text import csv_of
from context_strategies.compare.recorded import Recorded
from context_strategies.compare.rows import Block, Row
from context_strategies.compare.run_rows import RunRow
from context_strategies.compare.writing import write, writing
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


def caption_of(block: Block, counter: str) -> str:
    """Which prices, cache model and counter a table stands on."""
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


def plain_table(title: str, first: str, *columns: str, width: int = 0, gap: int = 2) -> Table:
    """A table without lines: ``first`` on the left and at least ``width`` wide, figures on the right."""
    table = Table(title=title or None, box=None, padding=(0, gap, 0, 0), pad_edge=False)
    table.add_column(first, overflow="fold", min_width=width or len(first))
    for name in columns:
        table.add_column(name, justify="right")
    return table


def print_tables(console: Console, blocks: Iterable[Block], counter: str) -> None:
    """One table a market."""
    by_marks = False
    for block in blocks:
        rows = block.rows()
        runs, calls = rows[0].runs, rows[0].calls
        title = f"{runs} run{'s' * (runs != 1)}, {calls:,} calls"
        marked = any(row.host_marks is not None for row in rows)
        by_marks |= marked
        columns = [*COLUMNS, *(["host's\nmarks"] if marked else [])]
        table = plain_table(title, "strategy", *columns, width=11 if marked else 16, gap=1)
        table.caption = caption_of(block, counter)
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
    columns = "shown when\nneeded", "first\nuse", "kept to\nthe end", "cost with\nrefetching"
    table = plain_table(title, "strategy", *columns, width=16, gap=1)
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


@dataclass(frozen=True, slots=True)
class Document:
    """Everything a table shows, every run, and the recorded costs beside the predicted ones; ``blocks`` are by market,
    and ``runs`` gives the rows of one.
    """

    counter: str
    blocks: Mapping[str, Block]
    runs: Callable[[str], Iterable[RunRow]]
    checks: Iterable[Recorded]
    refusals: Iterable[Refusal]

    def write(self, out: TextIO, indent: int | None = None) -> None:
        """As a line of JSON, or indented."""
        document = {
            "counter": self.counter,
            "note": CAUTION,
            "blocks": [
                {
                    "model": market,
                    "prices": sorted(block.prices),
                    "cache": sorted(block.caches),
                    "strategies": [asdict(row) for row in block.rows()],
                    "runs": Streamed(partial(self.runs, market)),
                }
                for market, block in self.blocks.items()
            ],
            "recorded": [asdict(check) for check in self.checks],
            "refused": [asdict(refusal) for refusal in self.refusals],
        }
        json.dump(document, out, indent=indent)
        out.write("\n")

    def write_files(self, folder: Path) -> None:
        """``replay.json``, and the tables as ``replay.csv``; ConfigError where one can't be written."""
        path = folder / "replay.json"
        with writing(path), path.open("w", encoding="utf-8") as file:
            self.write(file, indent=1)
        write(folder / "replay.csv", as_csv(self.blocks.values()))


HIDDEN = ("market", "prices", "cache", "first", "first_available")
"""Fields of a row that the document has elsewhere."""


def _run(row: RunRow) -> dict[str, Any]:
    return {name: value for name, value in asdict(row).items() if name not in HIDDEN}


def as_csv(blocks: Iterable[Block]) -> str:
    """One line a market and strategy."""
    return csv_of(
        {"prices": "; ".join(sorted(block.prices)), "cache": "; ".join(sorted(block.caches)), **asdict(row)}
        for block in blocks
        for row in block.rows()
    )
