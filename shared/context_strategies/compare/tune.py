"""Which strategy and which numbers suit a user's own runs: a grid, its frontier, and the lines to configure it."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import yaml
from rich.console import Console
from rich.table import Table

from context_strategies.compare.evaluate import Choice
from context_strategies.compare.rows import Row
from context_strategies.strategies import choose

GRID: dict[str, dict[str, tuple[int | str, ...]]] = {
    "masking": {"window": (1, 2, 3, 5, 10, 20), "refresh": (1, 5, 10, "break_even")},
    "llm_summary": {"every": (10, 21, 43, "break_even"), "window": (5, 10)},
    "rolling_summary": {"every": (4, 8, "break_even"), "buffer": (2,)},
    "hybrid": {"window": (3, 10), "every": (21, 43, "break_even"), "refresh": ("break_even",)},
    "truncation": {"keep_tokens": (3_000, 10_000)},
}
"""What is tried: each strategy with every combination of these values, its other fields at their defaults."""

KINDS = {
    "masking": "MaskingCondenser",
    "truncation": "TruncationCondenser",
    "llm_summary": "LLMSummaryCondenser",
    "rolling_summary": "RollingSummaryCondenser",
    "hybrid": "HybridCondenser",
}
"""Names of the strategies in the OpenHands SDK's JSON."""


@dataclass(frozen=True, slots=True)
class Tuned:
    """A point of the grid: ``cost`` against the raw agent's, ``shown`` of the raw agent's prompt tokens, the dearest
    run's ratio; ``frontier`` if no other point costs no more and shows no less.
    """

    strategy: str
    cost: float
    shown: float
    worst: float
    frontier: bool


def grid() -> Iterator[Choice]:
    """Every point of the grid, raw first."""
    yield Choice("raw", choose("raw"))
    for name, fields in GRID.items():
        for values in _combinations(fields):
            label = f"{name}:" + ",".join(f"{field}={value}" for field, value in values.items())
            yield Choice(label, choose({"type": name, **values}))


def _combinations(fields: dict[str, tuple[int | str, ...]]) -> list[dict[str, int | str]]:
    found: list[dict[str, int | str]] = [{}]
    for name, values in fields.items():
        found = [{**one, name: value} for one in found for value in values]
    return found


def tuned(rows: Sequence[Row]) -> list[Tuned]:
    """The grid's points, cheapest first."""
    points = [(row.strategy, row.cost_against_raw, row.tokens_against_raw, row.worst) for row in rows]
    return sorted(
        (
            Tuned(name, cost, shown, worst, frontier=not any(_beats(other[1:3], (cost, shown)) for other in points))
            for name, cost, shown, worst in points
        ),
        key=lambda point: (point.cost, -point.shown),
    )


def _beats(other: tuple[float, float], point: tuple[float, float]) -> bool:
    return other != point and other[0] <= point[0] and other[1] >= point[1]


def config_lines(label: str) -> dict[str, str]:
    """How each scaffold is told to use the strategy ``label``."""
    name, _, fields = label.partition(":")
    values = {
        key: yaml.safe_load(value) for key, _, value in (item.partition("=") for item in fields.split(",") if item)
    }
    lines = {
        "SWE-agent (agent.history_processors)": yaml.safe_dump(
            [{"type": name, **values}], default_flow_style=True
        ).strip(),
        "OpenHands config.toml": "\n".join(
            ["[condenser]", *(f"{key} = {json.dumps(value)}" for key, value in {"type": name, **values}.items())]
        ),
    }
    if name in KINDS:
        lines["OpenHands SDK (agent.condenser)"] = json.dumps({"kind": KINDS[name], **values})
    return lines


def as_json(points: Sequence[Tuned], caption: str) -> dict[str, Any]:
    """All points, and the lines for those on the frontier."""
    return {
        "caption": caption,
        "points": [asdict(point) for point in points],
        "config": {point.strategy: config_lines(point.strategy) for point in points if point.frontier},
    }


def print_frontier(console: Console, points: Sequence[Tuned], caption: str) -> None:
    """The frontier as a table, and the config lines of its cheapest point."""
    table = Table(title="The frontier: no other setting costs less and shows more", caption=caption)
    for name in ("strategy", "cost of raw", "shown of raw", "worst run"):
        table.add_column(name, justify="left" if name == "strategy" else "right")
    frontier = [point for point in points if point.frontier]
    for point in frontier:
        table.add_row(point.strategy, f"{point.cost:.0%}", f"{point.shown:.0%}", f"{point.worst:.0%}")
    console.print(table)
    masking = next((point for point in frontier if not point.strategy.startswith(("truncation", "raw"))), frontier[0])
    for place, line in config_lines(masking.strategy).items():
        console.print(f"[bold]{place}[/bold]")
        console.print(line, markup=False, highlight=False)
