import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

import pytest

from swe_agent_plugin import hook


@pytest.fixture
def waiting() -> Iterator[None]:
    """Start to wait for SWE-agent, and stop afterwards."""
    before = list(sys.meta_path)
    hook.install()
    yield
    sys.meta_path[:] = before


@pytest.mark.usefixtures("standin", "waiting")
def test_the_types_are_known_once_sweagent_is_imported() -> None:
    agents = import_module("sweagent.agent.agents")
    config = agents.DefaultAgentConfig.model_validate({"history_processors": [{"type": "masking"}]})
    assert config.history_processors[0].type == "masking"
    assert not any(isinstance(finder, hook.Finder) for finder in sys.meta_path)


@pytest.mark.usefixtures("waiting")
def test_other_imports_are_none_of_its_business() -> None:
    assert import_module("json").loads("1") == 1
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        import_module("no_such_module")
    assert any(isinstance(finder, hook.Finder) for finder in sys.meta_path)


def test_without_sweagent_there_is_nothing_to_find(monkeypatch: pytest.MonkeyPatch) -> None:
    finder = hook.Finder()
    monkeypatch.setattr(sys, "meta_path", [finder])
    monkeypatch.setitem(sys.modules, "sweagent.agent", ModuleType("sweagent.agent"))
    monkeypatch.setattr(sys.modules["sweagent.agent"], "__path__", [], raising=False)
    assert finder.find_spec(hook.PROCESSORS) is None


@pytest.mark.usefixtures("waiting")
def test_a_sweagent_that_is_laid_out_otherwise_still_runs(
    standin: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("swe_agent_plugin.register.extend", None)
    assert import_module(hook.PROCESSORS).HistoryProcessor
    assert "could not register with SWE-agent" in capsys.readouterr().err
