"""The fixture that runs OpenHands V0, and the skip where it is not installed."""

import os
import sys
from pathlib import Path

import pytest

from openhands_plugin.__main__ import installed
from openhands_v0_runs import OpenHands


@pytest.fixture(scope="session", autouse=True)
def _installed() -> None:
    if not installed():
        pytest.skip("OpenHands V0 (openhands-ai below 1.7) is not installed here: it has an environment of its own")


@pytest.fixture
def openhands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenHands:
    for name in [name for name in os.environ if name.startswith(("LLM_", "AGENT_", "CONDENSER_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LOG_LEVEL", "ERROR")
    monkeypatch.chdir(tmp_path)
    agents = sys.modules.get("openhands.controller.agent")
    if agents is not None:
        agents.Agent._registry.pop("context", None)
    return OpenHands(tmp_path)
