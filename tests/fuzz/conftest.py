"""How long to search, and the bounds that nothing may break: 20 seconds of processor time, 2 GB of memory.

``make fuzz FUZZ_SECONDS=60``; no part of the other tests.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import HealthCheck, Phase, settings

PROCESSOR_SECONDS = 20
BYTES = 2 * 2**30
ROUND = 100

FUZZ = settings(
    max_examples=ROUND,
    deadline=None,
    database=None,
    print_blob=True,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)


class TooSlow(Exception):  # noqa: N818 - says what happened
    """An input took more than its share of the processor."""


@contextmanager
def bounded() -> Iterator[None]:
    """Stop what takes too long."""

    def stop(signum: int, frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, PROCESSOR_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.fixture(autouse=True)
def _memory() -> Iterator[None]:
    """Leave this process little more memory than it has."""
    import resource

    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + BYTES, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@pytest.fixture
def hunt(request: pytest.FixtureRequest) -> Callable[[Callable[[], None]], None]:
    """Search with a property, round after round, for this test's share of the ``FUZZ_SECONDS`` (600) of its file."""
    same_file = [item for item in request.session.items if item.path == request.node.path]
    hunts = sum("hunt" in getattr(item, "fixturenames", ()) for item in same_file)
    share = float(os.environ.get("FUZZ_SECONDS") or "600") / hunts

    def search(find: Callable[[], None]) -> None:
        find = FUZZ(find)
        end, rounds = time.monotonic() + share, 0
        while time.monotonic() < end:
            find()
            rounds += 1
        print(f"\n{request.node.name}: {rounds * ROUND:,} inputs")  # noqa: T201 - how far it came

    return search
