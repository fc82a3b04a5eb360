"""Many cells: which are left, how many at a time, and until the money is spent."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field

from context_strategies.experiment import record as states
from context_strategies.experiment.cell import run_cell
from context_strategies.experiment.cells import Cell
from context_strategies.experiment.record import Record, is_finished
from context_strategies.fields import reason

Report = Callable[[Cell, Record | None], None]
"""Told of each cell that starts (None) and ends."""

Engine = Callable[[Cell], "Future[Record]"]
"""Starts a cell somewhere, and sees to it that it ends with the engine."""


@dataclass(slots=True)
class Spending:
    """What is spent and set aside of a ``budget`` in US dollars (None: no limit)."""

    budget: float | None
    spent: float = 0.0
    aside: float = 0.0

    def allows(self, cell: Cell) -> bool:
        """Whether one more cell may start: what it may cost at most fits in what is left."""
        return self.budget is None or self.spent + self.aside + cell.budget <= self.budget

    def start(self, cell: Cell) -> None:
        """Set aside what the cell may cost."""
        self.aside += cell.budget

    def end(self, cell: Cell, record: Record, before: float) -> None:
        """Count what it cost, beyond what was known ``before``; where that is unknown, what was set aside stays so."""
        self.spent += max(record.spent - before, 0.0)
        if record.cost is not None or not record.command:
            self.aside -= cell.budget


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an experiment: cells that were done before, those run now with their records, and those left."""

    before: list[Cell]
    ran: dict[str, Record]
    left: list[Cell]
    spent: float

    @property
    def complete(self) -> bool:
        """Whether every cell is done."""
        return not self.left and all(record.state == states.DONE for record in self.ran.values())


@dataclass(slots=True)
class Runner:
    """Runs cells, ``parallel`` at a time, on ``engine``; by default in threads of this process, which ``stop`` ends."""

    parallel: int
    budget: float | None = None
    engine: Engine | None = None
    report: Report = lambda _cell, _record: None
    stop: threading.Event = field(default_factory=threading.Event)

    def run(self, cells: Sequence[Cell], others: Sequence[Cell] = ()) -> Outcome:
        """Run every cell that is not done, in order; the budget pays for ``others`` as well, which other processes run.

        On Ctrl-C the running ones are ended first; those on an engine end with the engine.
        """
        known = {cell.name: Record.read(cell) for cell in cells}
        before = [cell for cell in cells if is_finished(cell, known[cell.name])]
        waiting = [cell for cell in cells if not is_finished(cell, known[cell.name])][::-1]
        earlier = {name: record.spent if record else 0.0 for name, record in known.items()}
        spending = Spending(self.budget, sum(earlier.values()) + sum(map(_held, others)))
        ran: dict[str, Record] = {}
        running: dict[Future[Record], Cell] = {}
        with self._engine() as engine:
            try:
                while waiting or running:
                    while waiting and len(running) < self.parallel and spending.allows(waiting[-1]):
                        cell = waiting.pop()
                        spending.start(cell)
                        self.report(cell, None)
                        running[engine(cell)] = cell
                    if not running:
                        break
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        cell = running.pop(future)
                        record = ran[cell.name] = _result(cell, future)
                        spending.end(cell, record, earlier[cell.name])
                        self.report(cell, record)
            except BaseException:
                self.stop.set()
                raise
        return Outcome(before, ran, waiting[::-1], spending.spent)

    @contextmanager
    def _engine(self) -> Iterator[Engine]:
        if self.engine is not None:
            yield self.engine
            return
        with ThreadPoolExecutor(self.parallel) as threads:
            yield lambda cell: threads.submit(run_cell, cell, self.stop)


def _held(cell: Cell) -> float:
    """US dollars that another process's cell has cost, or may cost while it runs."""
    record = Record.read(cell)
    return 0.0 if record is None else record.spent + (cell.budget if record.state == states.RUNNING else 0.0)


def _result(cell: Cell, future: "Future[Record]") -> Record:
    try:
        return future.result()
    except Exception as error:  # noqa: BLE001 - a cell that can't even be recorded must not stop the rest
        why = f"{type(error).__name__}: {reason(error)}"
        return Record(cell.label, cell.instance.id, states.FAILED, cell.setting, reason=why)
