"""What the arguments of ``report`` name: recorded runs, and labels to compare them by."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from context_strategies.compare.comparing import compare
from context_strategies.compare.comparison import Comparison
from context_strategies.compare.measured import Named, measured, named
from context_strategies.trajectories import Refusal

CELL = "*/*/*/*/cell.json"
"""What an experiment leaves in scaffold/strategy/model/instance."""


@dataclass(frozen=True, slots=True)
class Places:
    """``recordings`` are to be replayed, of a label those that are compared and not the reports beside them; what is
    labelled compared with its first label, None for fewer than two; and what of it could not be read.
    """

    recordings: list[Path]
    comparison: Comparison | None
    refusals: list[Refusal]


def places(arguments: Iterable[str]) -> Places:
    """``PATH`` and ``LABEL=PATH``, the folder of an experiment as its labels. ``ConfigError`` where there is no such
    path, and as in ``measured`` and ``compare``.
    """
    found = [place for argument in arguments for place in expanded(named(argument))]
    labelled = measured([place for place in found if place.label or place.table])
    others = [place.path for place in found if not place.label and not place.table]
    comparison = compare(labelled.arms) if len(labelled.arms) > 1 else None
    return Places(list(dict.fromkeys([*labelled.recordings, *others])), comparison, labelled.refusals)


def expanded(place: Named) -> Iterator[Named]:
    """The labels of an experiment's folder, anything else as it is."""
    cells = () if place.label or not place.path.is_dir() else place.path.glob(CELL)
    labels = sorted({cell.parent.parent for cell in cells})
    yield from (Named(str(folder.relative_to(place.path)), folder) for folder in labels)
    if not labels:
        yield place
