"""An experiment's file, as tests of experiments write and read it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from context_strategies.experiment.cells import Cell, cells_of
from context_strategies.experiment.plan import Plan

STAND_IN = Path(__file__).parent / "experiment" / "stand_in.py"


@dataclass(frozen=True)
class Files:
    """An experiment's file, and what it means."""

    path: Path

    @property
    def plan(self) -> Plan:
        return Plan.read(self.path)

    @property
    def cells(self) -> list[Cell]:
        return cells_of(self.plan, self.path)

    @property
    def starts(self) -> list[str]:
        """The instances whose cells have been started, in that order."""
        listed = self.path.parent / "starts.txt"
        return listed.read_text().split() if listed.exists() else []


Make = Callable[..., Files]
