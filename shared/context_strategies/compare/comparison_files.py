"""A comparison as files: JSON, figures, and CSV: a line a label, a test, or a run, which ``compare`` reads again."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from context_strategies.compare import charts, charts_file
from context_strategies.compare.comparison import Comparison, as_json
from context_strategies.compare.csv_text import csv_of
from context_strategies.compare.outcomes import Outcome
from context_strategies.compare.writing import write, writing
from context_strategies.trajectories import Refusal


def write_all(folder: Path, comparison: Comparison, refusals: Sequence[Refusal]) -> None:
    """All of it into ``folder``; raises ConfigError where that can't be done."""
    write(folder / "comparison.json", json.dumps(document(comparison, refusals), indent=1))
    for name, text in files(comparison).items():
        write(folder / name, text)
    for chart in charts.of_comparison(comparison):
        path = folder / f"{chart.name}.svg"
        with writing(path):
            charts_file.draw(chart, path)


def document(comparison: Comparison, refusals: Sequence[Refusal]) -> dict[str, Any]:
    """``comparison`` for ``json.dumps``, and what of the input could not be read."""
    return {**as_json(comparison), "refused": [str(refusal) for refusal in refusals]}


def files(comparison: Comparison) -> Mapping[Path, str]:
    """The tables by the name of their file."""
    return {
        Path("comparison.csv"): labels_csv(comparison),
        Path("tests.csv"): tests_csv(comparison),
        Path("outcomes.csv"): outcomes_csv(comparison),
    }


def labels_csv(comparison: Comparison) -> str:
    """One line a label; ``cost.mean`` and the like are the parts of a figure."""
    return csv_of(_flat(asdict(label)) for label in comparison.labels)


def tests_csv(comparison: Comparison) -> str:
    """One line a test."""
    return csv_of(
        {"base_label": pair.base, "other_label": pair.other, **_flat(asdict(one))}
        for pair in comparison.pairs
        for one in pair.differences
    )


def outcomes_csv(comparison: Comparison) -> str:
    """One line a run, in the columns of a table that can be compared."""
    return csv_of(_line(label, one) for label, outcomes in comparison.outcomes.items() for one in outcomes)


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
