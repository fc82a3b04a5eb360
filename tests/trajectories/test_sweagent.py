import json
import re
from typing import Any

import pytest

from context_strategies.history import Kind
from context_strategies.trajectories import Totals, Trajectory, sweagent


def item(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, "agent": "main", **more}


def acted(action: str, **more: Any) -> dict[str, Any]:
    return item("assistant", f"I run {action}.", action=action, message_type="action", **more)


def called(call_id: str, command: str, **more: Any) -> dict[str, Any]:
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    return acted(command, tool_calls=[{"id": call_id, "type": "function", "function": function}], **more)


def answered(call_id: str, content: Any, **more: Any) -> dict[str, Any]:
    return item("tool", content, tool_call_ids=[call_id], message_type="observation", **more)


START = [item("system", "You fix bugs."), item("user", "Fix a.py.", message_type="observation")]


def run(history: list[dict[str, Any]], **more: Any) -> Trajectory:
    value = {"trajectory": [{} for entry in history if entry["role"] == "assistant"], "history": history, **more}
    assert sweagent.claims(value)
    (trajectory,) = sweagent.parse(value, "runs/astropy-1.traj")
    return trajectory


def kinds(trajectory: Trajectory) -> list[str]:
    return [message.kind.value for message in trajectory.history.messages]


@pytest.mark.parametrize("value", [None, [], {}, {"history": []}, {"trajectory": [], "history": {}}, "history"])
def test_only_a_file_with_steps_and_messages_is_claimed(value: object) -> None:
    assert not sweagent.claims(value)


def test_function_calling() -> None:
    end = [called("c1", "cat a.py"), answered("c1", "x = 1"), called("c2", "submit"), answered("c2", "diff")]
    trajectory = run(START + end)
    assert kinds(trajectory) == ["system", "task", "action", "observation", "action", "observation"]
    seen = trajectory.history[3]
    assert (seen.text, seen.call_ids, seen.tool, seen.command) == ("x = 1", ("c1",), "bash", "cat a.py")
    assert 'bash({"command": "cat a.py"})' in trajectory.history[2].text
    assert not trajectory.history.orphans
    assert [call.upto for call in trajectory.calls] == [2, 4]


def test_thought_and_action() -> None:
    trajectory = run([*START, acted("ls  -la\n/src"), item("user", "a.py")])
    assert kinds(trajectory) == ["system", "task", "action", "observation"]
    assert trajectory.history[3].command == "ls -la /src"


def test_content_that_a_cache_mark_turned_into_parts_is_the_same_text() -> None:
    parts = [{"type": "text", "text": "x = 1", "cache_control": {"type": "ephemeral"}}]
    trajectory = run([*START, called("c1", "cat a.py"), answered("c1", parts)])
    assert trajectory.history[3].text == "x = 1"


def test_demonstrations_are_no_turns() -> None:
    demo = [
        item("user", "Fix b.py.", is_demo=True),
        called("d", "ls", is_demo=True),
        answered("d", "b.py", is_demo=True),
    ]
    trajectory = run([START[0], *demo, START[1], called("c1", "ls"), answered("c1", "a.py")])
    assert kinds(trajectory) == ["system", "demo", "demo", "demo", "task", "action", "observation"]
    assert trajectory.history.turns == 1


def test_tags_and_other_messages_in_between() -> None:
    tagged = answered("c1", "x = 1", tags=["keep_output"])
    trajectory = run([*START, called("c1", "ls"), tagged, item("user", "Hurry.", message_type="hint")])
    assert trajectory.history[3].tags == {"keep_output"}
    assert trajectory.history[4].kind is Kind.NOTE


def test_messages_of_another_agent_were_never_sent() -> None:
    trajectory = run([START[0], {**START[1], "agent": "primary"}, START[1], acted("ls"), item("user", "a.py")])
    assert [message.key for message in trajectory.history.messages] == [0, 2, 3, 4]
    assert trajectory.lost[0] == "1 stored message never sent to the model"


def test_the_closing_words_of_the_scaffold_are_no_call() -> None:
    closing = [item("assistant", "Exit due to cost limit", action=""), item("user", "Exited (autosubmitted)")]
    stats = {"exit_status": "submitted (exit_cost)", "model_stats": {"api_calls": 3, "instance_cost": 3.1}}
    trajectory = run([*START, acted("ls"), item("user", "a.py"), *closing], info=stats)
    assert (len(trajectory.history), len(trajectory.calls)) == (4, 1)
    assert (trajectory.exit_status, trajectory.cost) == ("submitted (exit_cost)", 3.1)
    assert trajectory.lost == (
        "1 recorded step of 2 without an action in the history",
        "2 calls of 3 without an action in the history: retries, most likely",
        "2 stored messages never sent to the model",
        "whether old observations were hidden from the model is not recorded",
    )


@pytest.mark.parametrize("as_text", [True, False])
@pytest.mark.parametrize(
    ("agent", "condensed"),
    [
        ({"history_processors": [{"type": "cache_control", "last_n_messages": 2}]}, False),
        ({"history_processors": [{"type": "cache_control"}, {"type": "last_n_observations", "n": 5}]}, True),
        ({"history_processor": {"type": "closed_window"}}, True),
        ({"history_processors": []}, False),
        ({"agent_configs": [{"history_processors": [{"type": "remove_regex"}], "model": {"name": "m"}}]}, True),
    ],
)
def test_the_configuration_tells_what_was_sent(as_text: bool, agent: dict[str, Any], condensed: bool) -> None:
    config = {"agent": {"model": {"name": "m"}, **agent}, "problem_statement": {"id": "astropy-7"}}
    trajectory = run(START, replay_config=json.dumps(config) if as_text else config)
    assert (trajectory.condensed, trajectory.model, trajectory.id) == (condensed, "m", "astropy-7")
    assert not trajectory.lost


def test_stored_placeholders_are_told() -> None:
    trajectory = run([*START, acted("ls"), item("user", "Old output omitted (12 lines)")], replay_config="{}")
    assert trajectory.condensed
    assert trajectory.lost == ("1 observation stored without the text",)


def test_what_is_not_recorded_stays_empty() -> None:
    trajectory = run(START, info={"model_stats": {"instance_cost": 0}})
    assert (trajectory.id, trajectory.model, trajectory.exit_status) == ("astropy-1", "", "")
    assert trajectory.cost is None


def test_other_attempts_are_told() -> None:
    trajectory = run(START, replay_config="{}", attempts=[{}, {}, {}])
    assert trajectory.lost == ("2 other attempts",)


@pytest.mark.parametrize(
    ("damage", "place"),
    [
        ({"history": [*START, "x"]}, "history[2] is text, not an object"),
        ({"history": [*START, acted("ls", tool_calls=[1])]}, r"history[2]: 'int' object has no attribute 'get'"),
        ({"history": [*START, acted("ls"), item("user", "", tags=7)]}, "history[3]: 'int' object is not iterable"),
        ({"replay_config": "{"}, "replay_config: Expecting property name"),
    ],
)
def test_malformed_content_names_its_place(damage: dict[str, Any], place: str) -> None:
    value = {"trajectory": [], "history": START, **damage}
    with pytest.raises(ValueError, match=f"^{re.escape(place)}"):
        list(sweagent.parse(value, "a.traj"))


def test_tags_of_an_action_are_its_answers_too() -> None:
    trajectory = run([*START, called("c1", "ls", tags=["keep_output"]), answered("c1", "x", tags=["other"])])
    assert [message.tags for message in trajectory.history.messages[2:]] == [{"keep_output"}, {"keep_output", "other"}]


def test_tokens_are_of_the_whole_run() -> None:
    stats = {"api_calls": 3, "tokens_sent": 900, "tokens_received": 20}
    assert run([*START, acted("ls")], info={"model_stats": stats}).totals == Totals(3, 900, 20)
    assert run([*START, acted("ls")], info={"model_stats": {"api_calls": 3, "tokens_sent": 0}}).totals is None
