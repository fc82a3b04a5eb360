"""Recorded costs beside what the recorded usage costs at our prices."""

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from context_strategies.catalogue import bundled, prices_of
from context_strategies.cli import app
from context_strategies.compare.recorded import Recorded, print_recorded, recorded
from context_strategies.history import History, Kind, Message
from context_strategies.replay import weigh
from context_strategies.tokens import ESTIMATE
from context_strategies.trajectories import Call, Trajectory, read

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "recordings"

pytestmark = pytest.mark.skipif(not bundled(), reason="litellm's price file is not installed")


def mini_runs(recordings: Path) -> list[Trajectory]:
    found = [run for run in read([recordings / "mini"]) if isinstance(run, Trajectory)]
    return [run for run in found if run.cost and not prices_of(run.model).assumed]


def test_mini_swe_agents_costs_agree_or_are_explained(recordings: Path) -> None:
    """Calls with reasoning were billed for the reasoning alone: litellm of that time took text tokens that a provider
    had not told apart for none.
    """
    runs = mini_runs(recordings)
    assert {run.model.partition("/")[0] for run in runs} == {"deepseek", "openai"}
    for run in runs:
        check = recorded(weigh(run, ESTIMATE))
        assert check
        assert check.by_usage
        unbilled = visible_output(Path(run.source)) * prices_of(run.model).rates(0).output
        expected = run.cost if run.model.startswith("deepseek") else (run.cost or 0) + unbilled
        assert check.by_usage == pytest.approx(expected, rel=1e-6)


def visible_output(path: Path) -> int:
    """Output tokens of a run's calls with reasoning that were no reasoning."""
    usages = [
        message["extra"]["response"]["usage"]
        for message in json.loads(path.read_text())["messages"]
        if "response" in message.get("extra", {})
    ]
    unbilled = 0
    for usage in usages:
        details = usage.get("completion_tokens_details") or usage.get("output_tokens_details") or {}
        reasoning = details.get("reasoning_tokens") or 0
        output = usage.get("completion_tokens") or usage["output_tokens"]
        unbilled += output - reasoning if reasoning else 0
    return unbilled


def test_where_nothing_is_known_nothing_is_compared() -> None:
    history = History([Message(Kind.TASK, "Fix it."), Message(Kind.ACTION, "ls")])
    free = Trajectory("i", "a", "f", "gpt-5", history, (Call(1),))
    assert recorded(weigh(free, ESTIMATE)) is None
    unknown = recorded(weigh(replace(free, cost=0.5, model="nobody/knows-it"), ESTIMATE))
    assert unknown
    assert (unknown.cost, unknown.by_usage, unknown.predicted) == (0.5, None, None)
    bare = recorded(weigh(replace(free, cost=0.5), ESTIMATE))
    assert bare
    assert bare.by_usage is None
    assert bare.predicted


def test_it_is_made_where_someone_sees_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("context_strategies.compare.work.recorded", None)
    arguments = ["replay", str(EXAMPLES / "mini-tools.traj.json"), "-s", "raw"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    for option in ("--recorded", "--json"):
        assert "can't be replayed" in CliRunner().invoke(app, [*arguments, option]).stderr


def test_nothing_recorded_prints_nothing() -> None:
    printed = StringIO()
    print_recorded(Console(file=printed), [], "estimate")
    assert not printed.getvalue()


def test_a_run_whose_requests_were_edited_is_marked() -> None:
    printed = StringIO()
    print_recorded(
        Console(file=printed, width=160),
        [Recorded("a", "run-1", "", condensed=True, cost=0.5, by_usage=0.25, predicted=None)],
        "estimate",
    )
    line = next(line for line in printed.getvalue().splitlines() if "run-1" in line)
    assert "run-1*" in line
    assert "not recorded" in line
    assert "-50.0%" in line
