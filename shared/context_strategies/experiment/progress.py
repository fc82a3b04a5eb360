"""What is told while an experiment runs, on standard error: a bar in a terminal, lines elsewhere."""

from dataclasses import dataclass, field
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from context_strategies.experiment import record as states
from context_strategies.experiment.cells import Cell
from context_strategies.experiment.record import Record
from context_strategies.fields import count

COLUMNS = (
    TextColumn("cells"),
    BarColumn(),
    MofNCompleteColumn(),
    TextColumn("{task.description}"),
    TimeElapsedColumn(),
)


@dataclass(slots=True)
class Told:
    """Told of each cell's start and end, it says so. ``total`` cells, ``budget`` in US dollars if there is one."""

    total: int
    budget: float | None = None
    console: Console = field(default_factory=lambda: Console(stderr=True))
    _running: int = 0
    _ended: int = 0
    _cost: float = 0.0
    _bar: Progress = field(init=False)
    _task: TaskID = field(init=False)

    def __post_init__(self) -> None:
        self._bar = Progress(*COLUMNS, console=self.console, transient=True, disable=not self.console.is_terminal)
        self._task = self._bar.add_task(self._description(), total=self.total)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self, cell: Cell, record: Record | None) -> None:
        """A cell has started, or ended with ``record``."""
        self._running += 1 if record is None else -1
        if record is not None:
            self._ended += 1
            self._cost += record.cost or 0.0
            self.console.print(self._line(cell, record), soft_wrap=True, highlight=False)
        self._bar.update(self._task, completed=self._ended, description=self._description())

    def _description(self) -> str:
        limit = f" of ${self.budget:g}" if self.budget else ""
        return f"${self._cost:.4f}{limit}, {self._running} running"

    def _line(self, cell: Cell, record: Record) -> str:
        colour = "green" if record.state == states.DONE else "red"
        cost = "cost unknown" if record.cost is None else f"${record.cost:.4f}"
        failures = f"; {count(record.fallbacks, 'fallback')}, see its events" if record.fallbacks else ""
        tail = failures + (f": {escape(record.reason)}" if record.reason else "")
        return (
            f"[{colour}]{record.state}[/] {escape(cell.name)} ({self._ended} of {self.total}; {record.seconds:.0f} s, "
            f"{record.calls} calls, {cost}; ${self._cost:.4f} so far){tail}"
        )
