"""Results as a table for people, JSON and CSV for programs."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from typing import Any

from rich.console import Console
from rich.table import Table

from context_strategies.compare.evaluate import Result
from context_strategies.compare.recorded import Recorded
from context_strategies.compare.rows import Row, rows_of
from context_strategies.trajectories import Refusal

CAUTION = "A replay holds the recorded run fixed: it says what it would have cost and shown, never what it would have solved."


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
    named = ", ".join(prices[:4]) + (f" and {len(prices) - 4} more" if len(prices) > 4 else "")
    return f"prices: {named}; cache: {', '.join(caches)}; tokens: {counter}"


def print_tables(console: Console, results: Sequence[Result], counter: str) -> None:
    """One table a market."""
    for block in blocks_of(results).values():
        rows = rows_of(block)
        runs = rows[0].runs
        calls = rows[0].calls
        table = Table(title=f"{runs} run{'s' * (runs != 1)}, {calls:,} calls", caption=caption(block, counter))
        marked = any(row.host_marks is not None for row in rows)
        columns = [
            "strategy", "prompt tokens", "of raw", "peak", "mean", "hidden", "cost/run", "of raw", "worst run", "dearer",
            "cached", "summaries", "moves",
        ]  # fmt: skip
        for name in [*columns, *(["host's marks alone"] if marked else [])]:
            table.add_column(name, justify="left" if name == "strategy" else "right")
        for row in rows:
            table.add_row(*_cells(row), *([f"{row.host_marks:.2f}"] if row.host_marks is not None else []))
        console.print(table)
    console.print(CAUTION, style="dim")


def _cells(row: Row) -> list[str]:
    return [
        row.strategy,
        f"{row.prompt:,}",
        f"{row.tokens_against_raw:.0%}",
        f"{row.peak:,}",
        f"{row.mean:,.0f}",
        f"{row.hidden:.0%}",
        f"${row.cost / row.runs:.4f}",
        f"{row.cost_against_raw:.0%}",
        f"{row.worst:.0%}",
        f"{row.dearer}/{row.runs}",
        f"{row.cached:.0%}",
        f"{row.summaries:.1%}",
        f"{row.moves:,}",
    ]


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
