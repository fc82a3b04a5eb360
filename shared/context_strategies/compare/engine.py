"""Engines: ways to do the same work on many sources. Each gives what came of them, in their order."""

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from signal import Signals
from typing import TYPE_CHECKING, Any

from pebble import ProcessExpired, ProcessPool

from context_strategies.compare.work import Plan, Replayed, failure, work
from context_strategies.dask_client import address_of
from context_strategies.trajectories import Source

if TYPE_CHECKING:
    from concurrent.futures import Future

try:
    import resource
except ImportError:  # Windows, where a process's memory has no limit that could be set
    resource = None  # type: ignore[assignment]  # what a missing module is

Results = Generator[Replayed, None, None]
Engine = Callable[[Plan, Sequence[Source]], Results]

WORTH = 4 * 2**20
"""Bytes of recordings that make a further process worth its start."""

SECONDS, PORTION = 600.0, 16 * 2**20
"""Longest that a process may work on so many bytes of one source: some hundred times what they take."""

AHEAD = 64
"""Sources handed out for each worker: while one of them takes long, the other workers go on with these."""

LEAST_MEMORY = 2 * 2**30
"""Bytes that a process may take on the smallest machine."""


def engine_of(name: str, jobs: int | None, seconds: float) -> Engine:
    """The engine called ``name``: ``local``, or ``dask://HOST:PORT``; raises ConfigError."""
    address = address_of(name)
    if address is None:
        return Local(jobs, seconds)
    from context_strategies.compare.cluster import Cluster  # noqa: PLC0415 - loads Dask, an extra

    return Cluster(address)


def in_process(plan: Plan, sources: Iterable[Source]) -> Results:
    """One after the other in this process, which nothing guards."""
    for source in sources:
        yield work(plan, source)


@dataclass(frozen=True, slots=True)
class Local:
    """The cores here: ``jobs`` processes; None: one a core, and none of them where there is little to do.

    A source that takes longer than ``seconds`` (for each 16 MiB begun; 0: no limit), or more than its process's share
    of the memory, or that ends its process in any way, is refused, and a new process goes on with the next.
    """

    jobs: int | None = None
    seconds: float = SECONDS

    def __call__(self, plan: Plan, sources: Sequence[Source]) -> Results:
        """What comes of ``sources``."""
        jobs = self.jobs or min(_cores(), _bytes(sources) // WORTH)
        if jobs <= 1 or not sources:
            return in_process(plan, sources)
        return self._processes(min(jobs, len(sources)), plan, sources)

    def _processes(self, jobs: int, plan: Plan, sources: Sequence[Source]) -> Results:
        # Any: some of its methods have no types.
        pool: Any = ProcessPool(jobs, initializer=_prepare, initargs=(jobs,), context=get_context("spawn"))

        def submit(source: Source) -> "Future[Replayed]":
            future: Future[Replayed] = pool.schedule(work, (plan, source), timeout=self._limit(source) or None)
            return future

        try:
            for source, future in in_order(sources, submit, AHEAD * jobs):
                yield self._result(source, future)
        finally:
            pool.stop()
            pool.join()

    def _result(self, source: Source, future: "Future[Replayed]") -> Replayed:
        try:
            return future.result()
        except TimeoutError:
            return failure(source, f"took longer than {self._limit(source):g} seconds")
        except ProcessExpired as error:
            how = f"was ended by {Signals(-error.exitcode).name}" if error.exitcode < 0 else "ended"
            return failure(source, f"the process that read it {how}, perhaps for want of memory")

    def _limit(self, source: Source) -> float:
        return self.seconds * (1 + _bytes([source]) // PORTION)


def in_order(
    sources: Iterable[Source], submit: Callable[[Source], "Future[Replayed]"], ahead: int
) -> Iterator[tuple[Source, "Future[Replayed]"]]:
    """Each source with its future, in order; at most ``ahead`` of them handed out and not yet taken."""
    waiting: deque[tuple[Source, Future[Replayed]]] = deque()
    for source in sources:
        waiting.append((source, submit(source)))
        if len(waiting) >= ahead:
            yield waiting.popleft()
    while waiting:
        yield waiting.popleft()


def _prepare(jobs: int) -> None:
    """In a new process of ``jobs``: one thread to count tokens, and no more than a share of the memory."""
    os.environ["RAYON_NUM_THREADS"] = "1"
    if resource is not None:
        share = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // jobs
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        limit = max(share, LEAST_MEMORY)
        resource.setrlimit(resource.RLIMIT_DATA, (limit if hard < 0 else min(limit, hard), hard))


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _bytes(sources: Iterable[Source]) -> int:
    """Size on disk of all that is to be read."""
    size = 0
    for source in sources:
        for path in source.parts or (source.path,):
            try:
                size += path.stat().st_size
            except OSError:  # reading it says why
                continue
    return size
