"""A host for real agents of the OpenHands SDK."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Any]:
    """Start conversations in a folder of their own."""
    from openhands_v1_host import Host

    made = Host(tmp_path)
    yield made
    made.close()
