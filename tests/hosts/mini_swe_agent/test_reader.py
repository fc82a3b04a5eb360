"""What a real agent's run is to its model, it is to the reader of what was saved."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from minisweagent.config import builtin_config_dir

from context_strategies.testing import ScriptedModel, say
from context_strategies.trajectories import Trajectory, read
from mini_host import FENCE, TEXT, agent_of, cost_of, model_of, script, sent
from mini_swe_agent_plugin import ContextModel

HYBRID = {"type": "hybrid", "window": 1, "every": 3, "refresh": 1}


def saved(folder: Path) -> Trajectory:
    (found,) = read([folder / "run.traj.json"])
    assert isinstance(found, Trajectory)
    return found


def same(model: Any, run: Trajectory) -> bool:
    """Whether ``model`` was shown the history of ``run``, up to its last call."""
    assert isinstance(model, ContextModel)
    (live,) = model._conversations._listed
    shown = live._session.history.messages
    return len(shown) == run.calls[-1].upto and shown == run.history.messages[: len(shown)]


@pytest.mark.parametrize("inner", ["litellm", TEXT])
@pytest.mark.parametrize("lines", [40, 900])
def test_outputs_in_json(inner: str, lines: int, tmp_path: Path) -> None:
    template = yaml.safe_load((builtin_config_dir / "mini.yaml").read_text())["model"]["observation_template"]
    with ScriptedModel(script(6, lines), fence=FENCE) as server:
        model = model_of(server, HYBRID, inner_class=inner, observation_template=template)
        agent_of(model, tmp_path).run("Fix it.")
    run = saved(tmp_path)
    assert same(model, run)
    assert {message.plain.count("\\n") for message in run.history.messages[3::2]} == {0}
    assert min(message.plain.count("\n") for message in run.history.messages[3::2]) >= 40


def test_a_wrong_format(tmp_path: Path) -> None:
    with ScriptedModel([*script(6)[:3], say("No call."), *script(6)[3:]]) as server:
        model = model_of(server, HYBRID)
        agent_of(model, tmp_path).run("Fix it.")
    run = saved(tmp_path)
    assert same(model, run)
    assert [message.failed for message in run.history.messages].count(True) == 1


def test_what_summaries_used_is_told_apart_from_the_calls_they_were_made_for(tmp_path: Path) -> None:
    with ScriptedModel(script(12)) as server:
        agent_of(model_of(server, HYBRID), tmp_path).run("Fix it.")
    run = saved(tmp_path)
    assert run.condensed
    for calls, kind in ((run.calls, "agent"), (run.side_calls, "summary")):
        log = sent(server, kind)
        assert [call.usage.prompt for call in calls if call.usage] == [
            record.response["usage"]["prompt_tokens"] for record in log
        ]
        assert sum(call.cost or 0.0 for call in calls) == pytest.approx(cost_of(log))
    assert run.cost == pytest.approx(cost_of(server.log))


def test_a_run_that_was_shown_everything_was_not_condensed(tmp_path: Path) -> None:
    with ScriptedModel(script(6)) as server:
        agent_of(model_of(server, "raw"), tmp_path).run("Fix it.")
    run = saved(tmp_path)
    assert not run.condensed
    assert run.side_calls == ()
