"""A stand-in for SWE-agent, importable as ``sweagent`` for one test at a time."""

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from context_strategies.events import LOG
from swe_agent_plugin.register import register

STANDIN = Path(__file__).parent / "standin"

Build = Callable[..., Any]


@pytest.fixture
def standin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make the stand-in importable, and forget it afterwards."""

    def forget() -> None:
        for name in [name for name in sys.modules if name.split(".")[0] == "sweagent"]:
            del sys.modules[name]

    forget()
    monkeypatch.syspath_prepend(STANDIN)
    handlers = list(LOG.handlers)
    yield
    LOG.handlers[:] = handlers
    forget()


@pytest.fixture
def agent(standin: None) -> Build:
    """Return what makes an agent of the stand-in: ``agent([{"type": "masking"}], traj_path, max_input_tokens=...)``."""
    register()
    build: Build = import_module("sweagent.agent.agents").DefaultAgent.of
    return build
