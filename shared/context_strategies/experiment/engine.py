"""Where cells run: threads of this process, each of which waits for a scaffold; or a Dask cluster's workers."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from context_strategies.dask_client import address_of, connected
from context_strategies.experiment.cell import run_cell
from context_strategies.experiment.cells import Cell
from context_strategies.experiment.record import Record
from context_strategies.experiment.runner import Engine


@contextmanager
def engine_of(name: str) -> Iterator[Engine | None]:
    """The engine called ``name``: None for ``local``, a cluster's for ``dask://HOST:PORT``. Raises ConfigError.

    When the block ends, or this process or its connection does, the cells that still run on the cluster end, within
    seconds.
    """
    address = address_of(name)
    if address is None:
        yield None
        return
    with connected(address) as client:
        executor = client.get_executor(pure=False)
        yield lambda cell: executor.submit(_run_on_worker, cell)


@dataclass(frozen=True, slots=True)
class Unwanted:
    """Set once the scheduler has told a worker that nobody wants the result of its ``task`` any more."""

    task: Any

    def is_set(self) -> bool:
        """Whether it has."""
        return bool(self.task.state == "cancelled")

    def wait(self, timeout: float) -> bool:
        """Whether it has, in so many seconds."""
        time.sleep(timeout)
        return self.is_set()


def _run_on_worker(cell: Cell) -> Record:
    from distributed import get_worker  # noqa: PLC0415 - an extra

    worker: Any = get_worker()  # which has no types
    return run_cell(cell, Unwanted(worker.state.tasks[worker.get_current_task()]))
