import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from litellm.exceptions import ContextWindowExceededError

import mini_host
from context_strategies.events import LOG, Fallback
from mini_swe_agent_plugin import host

WROTE = [Fallback(1, "it broke", "nothing is hidden")]


def model(name: str) -> Any:
    return SimpleNamespace(config=SimpleNamespace(model_name=name))


def test_prices_are_those_of_the_runs_model() -> None:
    assert not host.prices_of(model(mini_host.PRICED)).assumed
    assert host.prices_of(model("nobody/knows-it")).assumed


@pytest.mark.parametrize(
    ("error", "too_long"),
    [
        (RuntimeError("This model's maximum context length is 8192 tokens"), True),
        (ContextWindowExceededError("no", "m", "openai"), True),
        (RuntimeError("no such model"), False),
    ],
)
def test_a_request_is_too_long_whoever_says_so(error: Exception, *, too_long: bool) -> None:
    assert host.too_long(error) is too_long


def test_outside_of_a_run_nobody_is_saving() -> None:
    assert host.saving(object()) == (None, None)


@pytest.mark.parametrize("name", ["a-1.traj.json", "a-1.traj", "a-1.json"])
def test_events_stand_beside_the_trajectory(name: str, tmp_path: Path) -> None:
    saved = tmp_path / "new" / name
    assert not host.write(WROTE, saved)
    assert not host.write(WROTE, saved)
    assert (tmp_path / "new" / "a-1.context.jsonl").read_text().count("\n") == 1, "written whole each time"


def test_a_place_that_takes_no_events_is_said(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    problem = host.write(WROTE, tmp_path / "taken" / "a-1.traj.json")
    assert problem.startswith(f"events of this run are not written to {tmp_path / 'taken' / 'a-1.context.jsonl'}: ")
    assert "\n" not in problem


def test_warnings_go_to_mini_swe_agents_logger_once_and_as_plain_text() -> None:
    before = list(LOG.handlers)
    seen: list[logging.LogRecord] = []

    def note(record: logging.LogRecord) -> bool:
        seen.append(record)
        return False

    theirs = logging.getLogger("minisweagent.context")
    try:
        LOG.handlers[:] = []
        host.log_to_mini()
        host.log_to_mini()
        theirs.addFilter(note)
        LOG.warning("[bold]%s[/bold]", "quoted")
    finally:
        LOG.handlers[:] = before
        theirs.removeFilter(note)
    assert [(record.getMessage(), record.__dict__["markup"]) for record in seen] == [("[bold]quoted[/bold]", False)]
