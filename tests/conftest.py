"""What every test shares: how long properties are searched, and where the recorded runs lie."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Scaffolds import litellm, which would look for newer prices on the network, and print banners.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("OPENHANDS_SUPPRESS_BANNER", "1")

RECORDINGS = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "trajectories"

# No deadline and no health check on speed: a busy machine is not a failing property.
settings.register_profile("dev", max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("dev"), max_examples=2_000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))


@pytest.fixture(autouse=True)
def own_log() -> Iterator[None]:
    """Keep what a plugin hangs on the log, so that its host shows it, from the tests of others."""
    log = logging.getLogger("context_strategies")
    handlers = log.handlers[:]
    yield
    log.handlers[:] = handlers


@pytest.fixture(scope="session")
def recordings() -> Path:
    """Return the folder of recorded runs, which lies beside the checkout and is not part of it."""
    if not RECORDINGS.is_dir():
        pytest.skip("no recorded runs: ../shared/data/trajectories is not beside this checkout")
    return RECORDINGS
