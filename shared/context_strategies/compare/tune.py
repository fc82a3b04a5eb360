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
    "masking": {"window": (1, 2, 3, 5, 10, 20), "refresh": (1, 10, "break_even"), "keep_facts": (0, 20, 40)},
    "llm_summary": {"every": (10, 21, 43, "break_even"), "window": (5, 10)},
    "rolling_summary": {"every": (4, 8, "break_even"), "buffer": (2,)},
    "hybrid": {"window": (3, 10), "every": (21, 43, "break_even"), "refresh": ("break_even",)},
    "truncation": {"keep_tokens": (3_000, 10_000)},
}
"""What is tried: each strategy with every combination of these values, its other fields at their defaults."""

ENOUGH = 0.98
"""Share of needed facts from which on a setting is suggested."""

KINDS = {
    "masking": "MaskingCondenser",
    "truncation": "TruncationCondenser",
    "llm_summary": "LLMSummaryCondenser",
    "rolling_summary": "RollingSummaryCondenser",
    "hybrid": "HybridCondenser",
}
"""Names of the strategies in the OpenHands SDK's JSON."""

MARKS = {"type": "cache_control", "last_n_messages": 2}
"""SWE-agent's own processor, as its default config has it: a list of ours replaces that one, marks and all."""

CLASS = "mini_swe_agent_plugin.ContextModel"


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


def config_lines(label: str) -> dict[str, str]:
    """How each scaffold is told to use the strategy ``label``."""
    name, _, fields = label.partition(":")
    values = {
        key: yaml.safe_load(value) for key, _, value in (item.partition("=") for item in fields.split(",") if item)
    }
    lines = {
        "SWE-agent (agent.history_processors)": _flow([{"type": name, **values}, MARKS]),
        "OpenHands config.toml": "\n".join(
            ["[condenser]", *(f"{key} = {json.dumps(value)}" for key, value in {"type": name, **values}.items())]
        ),
        "mini-swe-agent (model)": _flow({"model_class": CLASS, "context": {"type": name, **values}}),
    }
    if name in KINDS:
        lines["OpenHands SDK (agent.condenser)"] = json.dumps({"kind": KINDS[name], **values})
    return lines


def _flow(value: object) -> str:
    """``value`` as YAML on one line."""
    return yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=1_000).strip()


def as_json(points: Sequence[Tuned], caption: str) -> dict[str, Any]:
    """All points, and the lines for those on the frontier."""
    return {
        "caption": caption,
        "points": [asdict(point) for point in points],
        "config": {point.strategy: config_lines(point.strategy) for point in points if point.frontier},
    }


def print_frontier(console: Console, points: Sequence[Tuned], caption: str) -> None:
    """The frontier as a table, and the config lines of its cheapest point."""
    table = Table(title="The frontier: no other setting costs less and shows more of the facts needed", caption=caption)
    for name in ("strategy", "cost of raw", "facts shown", "first use", "worst run"):
        named = name == "strategy"
        table.add_column(name, justify="left" if named else "right", overflow="fold" if named else "ellipsis")
    frontier = [point for point in points if point.frontier]
    for point in frontier:
        shares = (point.cost, point.available, point.first, point.worst)
        table.add_row(point.strategy, *(f"{share:.1%}" for share in shares))
    console.print(table)
    chosen = next((point for point in frontier if point.available >= ENOUGH), frontier[-1])
    console.print(f"The cheapest that shows at least {ENOUGH:.0%} of them: {chosen.strategy}")
    for place, line in config_lines(chosen.strategy).items():
        console.print(f"[bold]{place}[/bold]")
        console.print(line, markup=False, highlight=False)
