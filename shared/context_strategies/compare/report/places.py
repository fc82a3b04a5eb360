"""What the arguments of ``report`` name: recorded runs, and labels to compare them by."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from context_strategies.compare.comparing import compare
from context_strategies.compare.comparison import Comparison
from context_strategies.compare.measured import Named, measured, named
from context_strategies.compare.outcomes_folder import read_runs
from context_strategies.trajectories import Refusal, Source, Trajectory, load

CELL = "*/*/*/*/cell.json"
"""What an experiment leaves in scaffold/strategy/model/instance."""


def places(arguments: Iterable[str]) -> list[Named]:
    """``PATH`` and ``LABEL=PATH``, the folder of an experiment as its labels; ``ConfigError`` where there is no such
    path.
    """
    return [place for argument in arguments for place in _expanded(named(argument))]


def _expanded(place: Named) -> Iterator[Named]:
    cells = () if place.label or not place.path.is_dir() else place.path.glob(CELL)
    labels = sorted({cell.parent.parent for cell in cells})
    yield from (Named(str(folder.relative_to(place.path)), folder) for folder in labels)
    if not labels:
        yield place


def runs_in(found: Iterable[Named]) -> list[Path]:
    """What is to be replayed: of a label the recordings that are compared, not the reports beside them."""
    paths: dict[Path, None] = {}
    for place in found:
        if place.label and not place.table:
            paths |= dict.fromkeys(_file(source) for source, _ in read_runs([place.path]).runs)
        elif not place.table:
            paths[place.path] = None
    return list(paths)


def _file(source: str) -> Path:
    """The file or folder of a run, which may be one line of it."""
    path = Path(source)
    return path if path.exists() else Path(source.rpartition(":")[0])


def recordings(sources: Iterable[Source | Refusal]) -> Iterator[Trajectory]:
    """The runs of ``sources`` that called a model; what can't be read is said where they are replayed."""
    for source in sources:
        yield from (run for run in load(source) if isinstance(run, Trajectory) and run.calls)


def compared(found: Sequence[Named]) -> tuple[Comparison | None, list[Refusal]]:
    """What is labelled, compared with its first label, None for fewer than two; and what of it could not be read.
    ``ConfigError`` and ``ValueError`` as in ``compare``.
    """
    words = [
        f"{place.label}={place.path}{'#' * bool(place.experiment)}{place.experiment}"
        for place in found
        if place.label or place.table
    ]
    labelled = measured(words)
    return compare(labelled.arms) if len(labelled.arms) > 1 else None, labelled.refusals
