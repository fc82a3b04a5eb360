"""Outcomes from a table: a CSV file with one run a line, of one experiment or of many."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from context_strategies.compare.csv_text import unquoted
from context_strategies.compare.outcomes import Outcome
from context_strategies.errors import ConfigError
from context_strategies.fields import MALFORMED, MAX_NUMBER, reason
from context_strategies.trajectories import Refusal

NAMES = {
    "instance": ("instance_id", "instance"),
    "solved": ("solved", "resolved", "outcome"),
    "cost": ("cost",),
    "summary_cost": ("summary_cost",),
    "turns": ("turns", "turn_count"),
    "prompt": ("prompt_tokens",),
    "cached": ("cached_tokens",),
    "output": ("output_tokens",),
    "contexts": ("contexts",),
    "hidden": ("hidden",),
    "exit_status": ("exit_status",),
    "model": ("model",),
    "label": ("experiment", "label"),
    "mean_prompt": ("mean_prompt_tokens",),
    "mean_output": ("mean_completion_tokens",),
}
"""What the columns of each value may be called; the first that a table has is read. ``label`` tells runs of different
experiments apart; means are over a run's turns.
"""
TRUE, FALSE = frozenset({"1", "1.0", "true", "yes"}), frozenset({"0", "0.0", "false", "no"})


@dataclass(frozen=True, slots=True)
class Tabled:
    """The outcomes of a table by experiment (its file's name where it has but one), and the lines it could not give."""

    experiments: dict[str, list[Outcome]] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)

    def pick(self, name: str, place: str) -> list[Outcome]:
        """The outcomes of the experiment ``name``, or of the only one whose name has ``name`` in it; ``ConfigError``
        with those there are. An empty name is the only experiment's.
        """
        found = [one for one in self.experiments if one == name] or [one for one in self.experiments if name in one]
        if len(found) != 1:
            choices = ", ".join(found or self.experiments)
            what = f"#{name}" if name else "which experiment?"
            raise ConfigError(f"{place}: {what} {len(found)} fit; choose one of: {choices}")
        return self.experiments[found[0]]


def read_table(path: Path) -> Tabled:
    """The runs in ``path``. Its ``cost`` is the agent's own calls, ``summary_cost`` comes on top; several lines of one
    instance are its attempts. ``ConfigError`` where it is no such table.
    """
    found = Tabled()
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            columns = _columns(reader.fieldnames or (), path)
            for row in reader:
                try:
                    one = _outcome({name: unquoted(row.get(column) or "") for name, column in columns.items()})
                except MALFORMED as error:
                    found.refusals.append(Refusal(f"{path}:{reader.line_num}", reason(error)))
                else:
                    label = unquoted(row.get(columns.get("label", "")) or path.stem)
                    found.experiments.setdefault(label, []).append(one)
    except (OSError, csv.Error, UnicodeError) as error:
        raise ConfigError(f"{path}: no CSV table: {reason(error)}") from error
    if not found.experiments and not found.refusals:
        raise ConfigError(f"{path}: no line below the header")
    return found


def _columns(there: Sequence[str], path: Path) -> dict[str, str]:
    """Which column holds what."""
    columns = {name: column for name, known in NAMES.items() for column in reversed(known) if column in there}
    missing = [name for name in ("instance",) if name not in columns]
    if missing or not columns.keys() & {"solved", "cost", "turns"}:
        need = " or ".join(NAMES["instance"] if missing else ("solved", "cost", "turns"))
        raise ConfigError(f"{path}: no column {need}; there are: {', '.join(there)[:200] or 'none'}")
    return columns


def _outcome(row: Mapping[str, str]) -> Outcome:
    """The run of one line; ``ValueError`` where a value is none of its column's."""
    if not row["instance"]:
        raise ValueError("no instance id")
    own, extra, turns = _number(row, "cost"), _number(row, "summary_cost"), _count(row, "turns")

    def tokens(name: str) -> int | None:
        mean = _number(row, f"mean_{name}")
        return round(mean * turns) if mean is not None and turns is not None else _count(row, name)

    return Outcome(
        instance=row["instance"],
        solved=_truth(row.get("solved", "")),
        cost=None if own is None else own + (extra or 0.0),
        summary_cost=extra,
        turns=turns,
        prompt=tokens("prompt"),
        cached=_count(row, "cached"),
        output=tokens("output"),
        contexts=_count(row, "contexts"),
        hidden=_count(row, "hidden"),
        exit_status=row.get("exit_status", ""),
        model=row.get("model", ""),
    )


def _truth(value: str) -> bool | None:
    said = value.strip().lower()
    if said in TRUE | FALSE:
        return said in TRUE
    if said:
        raise ValueError(f"solved is {value[:20]!r}; choose one of: {', '.join(sorted(TRUE | FALSE))}, or nothing")
    return None


def _number(row: Mapping[str, str], name: str) -> float | None:
    value = row.get(name, "").strip()
    if not value:
        return None
    number = float(value)
    if not 0 <= number < MAX_NUMBER:
        raise ValueError(f"{name} is {value[:20]}, not a number from 0 on")
    return number


def _count(row: Mapping[str, str], name: str) -> int | None:
    number = _number(row, name)
    return None if number is None else round(number)
