"""Which strategy and which numbers suit a user's own runs: a grid, its frontier, and which of it to take."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from context_strategies.compare.config_lines import config_lines
from context_strategies.compare.evaluate import Choice
from context_strategies.compare.profile import advice_of
from context_strategies.compare.profile_show import print_advice
from context_strategies.compare.rows import Row
from context_strategies.strategies import choose

GRID: dict[str, dict[str, tuple[int | str, ...]]] = {
    "masking": {"window": (1, 2, 3, 5, 10, 20), "refresh": (1, 10, "break_even"), "keep_facts": (0, 20, 40)},
    "llm_summary": {"every": (10, 21, 43, "break_even"), "window": (5, 10)},
    "rolling_summary": {"every": (4, 8, "break_even"), "buffer": (2,)},
    "hybrid": {"window": (3, 10), "every": (21, 43, "break_even"), "refresh": ("break_even",)},
    "truncation": {"keep_tokens": (3_000, 10_000)},
}
"""What is tried: each strategy with every combination of these values, its other fields at their defaults."""


@dataclass(frozen=True, slots=True)
class Tuned:
    """A point of the grid: ``cost`` against the raw agent's; the share of needed facts that are ``available``, and of
    those needed for the ``first`` time; the dearest run's ratio; ``frontier`` if no other point costs no more and shows
    no less of the facts.
    """

    strategy: str
    cost: float
    available: float
    first: float
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
    points = [
        Tuned(
            strategy=row.strategy,
            cost=row.cost_against_raw,
            available=row.available,
            first=row.first_available,
            worst=row.worst,
            frontier=not any(_beats(other, row) for other in rows),
        )
        for row in rows
    ]
    return sorted(points, key=lambda point: (point.cost, -point.available))


def _beats(other: Row, row: Row) -> bool:
    """Whether ``other`` costs no more, shows no less of the facts, and differs in one of them."""
    theirs, ours = (-other.cost_against_raw, other.available), (-row.cost_against_raw, row.available)
    return theirs != ours and all(their >= our for their, our in zip(theirs, ours, strict=True))


def as_json(rows: Sequence[Row], caption: str) -> dict[str, Any]:
    """All points, the lines for those on the frontier, and which of them to take."""
    points = tuned(rows)
    return {
        "caption": caption,
        "points": [asdict(point) for point in points],
        "config": {point.strategy: config_lines(point.strategy) for point in points if point.frontier},
        "advice": asdict(advice_of(rows)),
    }


def print_frontier(console: Console, rows: Sequence[Row], caption: str) -> None:
    """The frontier as a table, and which of its points to take."""
    table = Table(title="The frontier: no other setting costs less and shows more of the facts needed", caption=caption)
    for name in ("strategy", "cost of raw", "facts shown", "first use", "worst run"):
        named = name == "strategy"
        table.add_column(name, justify="left" if named else "right", overflow="fold" if named else "ellipsis")
    for point in tuned(rows):
        if point.frontier:
            shares = (point.cost, point.available, point.first, point.worst)
            table.add_row(point.strategy, *(f"{share:.1%}" for share in shares))
    console.print(table)
    print_advice(console, advice_of(rows))
