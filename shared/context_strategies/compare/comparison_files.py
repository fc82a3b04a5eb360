"""A comparison as CSV: a line a label, a line a test, or a line a run, which ``compare`` itself reads again."""

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from context_strategies.compare.comparison import Comparison
from context_strategies.compare.outcomes import Outcome


def files(comparison: Comparison) -> Mapping[Path, str]:
    """The tables by the name of their file."""
    return {
        Path("comparison.csv"): labels_csv(comparison),
        Path("tests.csv"): tests_csv(comparison),
        Path("outcomes.csv"): outcomes_csv(comparison),
    }


def labels_csv(comparison: Comparison) -> str:
    """One line a label; ``cost.mean`` and the like are the parts of a figure."""
    return _csv(_flat(asdict(label)) for label in comparison.labels)


def tests_csv(comparison: Comparison) -> str:
    """One line a test."""
    return _csv(
        {"base_label": pair.base, "other_label": pair.other, **_flat(asdict(one))}
        for pair in comparison.pairs
        for one in pair.differences
    )


def outcomes_csv(comparison: Comparison) -> str:
    """One line a run, in the columns of a table that can be compared."""
    return _csv(_line(label, one) for label, outcomes in comparison.outcomes.items() for one in outcomes)


def _line(label: str, one: Outcome) -> dict[str, Any]:
    own = one.cost if one.cost is None or one.summary_cost is None else one.cost - one.summary_cost
    return {
        "experiment": label,
        "instance_id": one.instance,
        "attempt": one.attempt,
        "solved": None if one.solved is None else int(one.solved),
        "cost": own,
        "summary_cost": one.summary_cost,
        "turns": one.turns,
        "prompt_tokens": one.prompt,
        "cached_tokens": one.cached,
        "output_tokens": one.output,
        "contexts": one.contexts,
        "hidden": one.hidden,
        "exit_status": one.exit_status,
        "model": one.model,
    }


def _flat(value: Mapping[str, Any], within: str = "") -> dict[str, Any]:
    """``value`` without levels; what a run ended with or was made by, in one cell."""
    found: dict[str, Any] = {}
    for name, part in value.items():
        if name in {"exits", "models"}:
            found[name] = "; ".join(f"{key} {number}" for key, number in part.items())
        elif isinstance(part, dict):
            found |= _flat(part, f"{within}{name}.")
        else:
            found[within + name] = part
    return found


def _csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """``rows`` under all their columns; a text that a spreadsheet would take for a formula is told as text."""
    rows = list(rows)
    out = io.StringIO()
    writer = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return out.getvalue()


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
