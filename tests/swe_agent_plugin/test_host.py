import logging
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from context_strategies.events import LOG
from swe_agent_plugin.host import ToSweAgent, calling_agent, log_to_sweagent, prices_of, record_of


def test_outside_of_a_chain_nobody_is_calling() -> None:
    assert calling_agent(object()) is None
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(calling_agent, object()).result() is None, "a stack of few frames"


def test_prices_that_cannot_be_had_are_the_usual_ones(caplog: pytest.LogCaptureFixture) -> None:
    config = SimpleNamespace(name="gpt-5", max_input_tokens="many")
    assert prices_of(SimpleNamespace(model=SimpleNamespace(config=config))).assumed
    assert "instead: the usual ratios" in caplog.text


def test_an_agent_that_writes_no_trajectory_gets_no_events() -> None:
    assert record_of(SimpleNamespace(traj_path=None)) is None


@pytest.mark.usefixtures("standin")
def test_without_sweagent_nothing_is_handed_on() -> None:
    before = list(LOG.handlers)
    log_to_sweagent()
    assert LOG.handlers == before


def test_a_warning_that_cannot_be_handed_on_is_no_error_of_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    record = logging.LogRecord("x", logging.WARNING, "a.py", 1, "said", None, None)
    ToSweAgent().emit(record)
    assert "No module named 'sweagent'" in capsys.readouterr().err
