"""What the arguments of ``compare`` name: labels, and where their runs are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from context_strategies.compare.outcomes import Arm, Outcome, arm
from context_strategies.compare.outcomes_folder import read_runs
from context_strategies.compare.outcomes_table import read_table
from context_strategies.errors import ConfigError
from context_strategies.fields import stem
from context_strategies.trajectories import Refusal


@dataclass(frozen=True, slots=True)
class Named:
    """One argument: ``label`` (empty where none was given), the path, and of a table the ``experiment``."""

    label: str
    path: Path
    experiment: str = ""

    @property
    def table(self) -> bool:
        """Whether the path is a table, rather than recordings."""
        return self.path.suffix.lower() == ".csv"

    @property
    def name(self) -> str:
        """The label, or else what was picked."""
        return self.label or self.experiment or stem(self.path.resolve().name)


@dataclass(frozen=True, slots=True)
class Measured:
    """The arms that arguments name, in their order; the files and folders that their recordings were read from; and
    what could not be read.
    """

    arms: list[Arm] = field(default_factory=list)
    recordings: list[Path] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)


def named(argument: str) -> Named:
    """``PATH``, ``LABEL=PATH``, and either with ``#EXPERIMENT`` behind a table; ``ConfigError`` where there is no such
    path.
    """
    label, _, rest = argument.partition("=")
    for name, text in (("", argument), (label, rest)):
        path, _, experiment = text.partition("#")
        if text and Path(text).exists():
            return Named(name, Path(text))
        if path and experiment and Path(path).exists():
            return Named(name, Path(path), experiment)
    raise ConfigError(f"{(rest or argument).partition('#')[0]}: no such file or folder")


def measured(parts: Iterable[Named]) -> Measured:
    """The runs of every label. What is given under one label is pooled, in its order; a table without a label gives an
    arm for each of its experiments. ``ConfigError`` where a table has no such experiment, or labels would be confused.
    """
    found = Measured()
    groups: dict[str, list[Named]] = {}
    for part in parts:
        if part.table and not part.label and not part.experiment:
            table = read_table(part.path)
            found.refusals.extend(table.refusals)
            found.arms.extend(arm(label, outcomes) for label, outcomes in table.experiments.items())
        elif part.label:
            if part in groups.setdefault(part.label, []):
                raise ConfigError(f"{part.path} is given twice as {part.label}: its runs would count double")
            groups[part.label].append(part)
        else:
            _once(part.name, groups)
            groups[part.name] = [part]
    for label, group in groups.items():
        _once(label, [one.label for one in found.arms])
        outcomes = _outcomes(group, found)
        if outcomes:
            found.arms.append(arm(label, outcomes))
        else:
            found.refusals.append(Refusal(label, "no run"))
    return found


def _once(label: str, labels: Iterable[str]) -> None:
    if label in labels:
        raise ConfigError(f"two of the paths would be called {label}: give LABEL=PATH")


def _outcomes(group: Sequence[Named], found: Measured) -> list[Outcome]:
    """Everything under one label; ``found`` is told where it was, and what could not be read."""
    outcomes: list[Outcome] = []
    for part in group:
        if part.table:
            table = read_table(part.path)
            found.refusals.extend(table.refusals)
            outcomes.extend(table.pick(part.experiment, str(part.path)))
    runs = read_runs([part.path for part in group if not part.table])
    found.refusals.extend(runs.refusals)
    found.recordings.extend(dict.fromkeys(_file(source) for source, _ in runs.runs))
    return [*outcomes, *runs.outcomes()]


def _file(source: str) -> Path:
    """The file or folder of a run, which may be one line of it."""
    path = Path(source)
    return path if path.exists() else Path(source.rpartition(":")[0])
