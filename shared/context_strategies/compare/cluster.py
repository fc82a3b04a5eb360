"""A Dask cluster as an engine. Its workers must have this package, and see the recordings at the same places."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from context_strategies.compare.engine import AHEAD, Results, in_order
from context_strategies.compare.work import Plan, Replayed, failure, work
from context_strategies.dask_client import connected, wrong
from context_strategies.errors import ConfigError
from context_strategies.fields import reason
from context_strategies.trajectories import Source

LONE = 60
"""Seconds after which a cluster without workers is given up."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """The cluster whose scheduler listens at ``address`` (``HOST:PORT``).

    A source whose worker is lost goes to another, until the cluster says that it has lost too many, twice: then it is
    refused. Raises ConfigError where there is no cluster, where it fails, and where its workers would come to other
    results than this process.
    """

    address: str

    def __call__(self, plan: Plan, sources: Sequence[Source]) -> Results:
        """What comes of ``sources``."""
        with connected(self.address) as client:
            try:
                yield from self._results(client, plan, sources)
            except ConfigError:
                raise
            except Exception as error:  # Dask raises many kinds, and plain ones
                raise wrong(self.address, f"the cluster failed: {reason(error)}") from error

    def _results(self, client: Any, plan: Plan, sources: Sequence[Source]) -> Results:
        ahead = AHEAD * sum(client.nthreads().values())
        for source, future in in_order(sources, lambda source: _submit(client, plan, source), ahead):
            done = self._result(client, future)
            if done is None:  # it may only have stood in line where another source did the harm: once more
                done = self._result(client, _submit(client, plan, source))
            yield failure(source, "every worker that read it was lost") if done is None else _renamed(done, source)

    def _result(self, client: Any, future: Any) -> Replayed | None:
        """What comes of ``future``, None if several workers were lost over it."""
        from distributed import KilledWorker  # noqa: PLC0415 - an extra

        while True:
            try:
                done: Replayed = future.result(timeout=LONE)
            except TimeoutError:
                if not client.nthreads():
                    raise wrong(self.address, "it has no worker left") from None
            except KilledWorker:
                return None
            else:
                return done


def _submit(client: Any, plan: Plan, source: Source) -> Any:
    """A future of the work on ``source``, under a name that does not depend on the folder of this process."""
    parts = tuple(part.absolute() for part in source.parts)
    return client.submit(work, plan, Source(source.path.absolute(), parts), pure=False)


def _renamed(done: Replayed, source: Source) -> Replayed:
    """``done`` as of the path that was given, be it absolute or not."""
    there, here = str(source.path.absolute()), str(source.path)

    def name(found: str) -> str:
        return here + found.removeprefix(there)

    done.rows = [replace(row, source=name(row.source)) for row in done.rows]
    done.checks = [replace(check, source=name(check.source)) for check in done.checks]
    done.profiles = [replace(profile, source=name(profile.source)) for profile in done.profiles]
    done.viewed = [replace(run, source=name(run.source)) for run in done.viewed]
    done.refusals = [replace(refusal, source=name(refusal.source)) for refusal in done.refusals]
    return done
