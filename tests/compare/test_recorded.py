"""Recorded costs beside what the recorded usage costs at our prices."""

import json
from pathlib import Path

import pytest

from context_strategies.catalogue import bundled, prices_of
from context_strategies.compare.recorded import recorded
from context_strategies.replay import weigh
from context_strategies.tokens import ESTIMATE
from context_strategies.trajectories import Trajectory, read

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
