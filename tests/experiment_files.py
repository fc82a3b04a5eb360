"""An experiment's file, as tests of experiments write and read it; and the processes that they wait for."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from context_strategies.experiment.cells import Cell, cells_of
from context_strategies.experiment.plan import Plan

STAND_IN = Path(__file__).parent / "experiment" / "stand_in.py"
COMMAND = [sys.executable, "-c", "from context_strategies.cli import main; main()"]


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


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def eventually(gone: list[int], seconds: float = 30.0) -> None:
    """Wait until none of these processes lives."""
    end = time.monotonic() + seconds
    while any(map(alive, gone)):
        assert time.monotonic() < end, f"of {gone} some still live"
        time.sleep(0.05)


def pids_in(path: Path, count: int) -> list[int]:
    """Wait until so many processes have written their ids into a file."""
    end = time.monotonic() + 30
    while not path.exists() or len(path.read_text().split()) < count:
        assert time.monotonic() < end
        time.sleep(0.05)
    return list(map(int, path.read_text().split()))
