import json
from typing import Any

import pytest

from context_strategies.history import Kind
from context_strategies.prices import Usage
from context_strategies.trajectories import Call, Trajectory, mini

WRONG = "Please always provide EXACTLY ONE action in triple backticks, found 0 actions."


def said(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def ran(command: str, **more: Any) -> dict[str, Any]:
    return said("assistant", f"Now.\n```bash\n{command}\n```", **more)


def called(call_id: str, command: str, **extra: Any) -> dict[str, Any]:
    call = {"id": call_id, "function": {"name": "bash", "arguments": json.dumps({"command": command})}}
    return said("assistant", None, tool_calls=[call], extra=extra)


START = [said("system", "You fix bugs."), said("user", "Fix a.py.")]


def run(messages: list[dict[str, Any]], **info: Any) -> Trajectory:
    value = {"messages": messages, "info": info, "instance_id": "astropy-1"}
    assert mini.claims(value)
    (trajectory,) = mini.parse(value, "runs/other.traj.json")
    return trajectory


def kinds(trajectory: Trajectory) -> list[str]:
    return [message.kind.value for message in trajectory.history.messages]


@pytest.mark.parametrize(
    "value",
    [None, [], {}, {"messages": []}, {"info": {}}, [[]], [{"role": "user"}], [{"role": [], "content": ""}], "x"],
)
def test_only_chat_messages_are_claimed(value: object) -> None:
    assert not mini.claims(value)


def test_fenced_commands() -> None:
    trajectory = run([*START, ran("cat a.py"), said("user", "x = 1"), ran("ls")])
    assert kinds(trajectory) == ["system", "task", "action", "observation", "action"]
    assert trajectory.history[3].command == "cat a.py"
    assert [call.upto for call in trajectory.calls] == [2, 4]
    assert (trajectory.id, trajectory.lost) == ("astropy-1", ())


def test_tool_calls() -> None:
    observation = said("tool", "x = 1", tool_call_id="c1", extra={"returncode": 0})
    end = said("exit", "diff", extra={"exit_status": "Submitted"})
    config = {"model": {"model_name": "deepseek/deepseek-chat"}}
    stats = {"instance_cost": 0.25, "api_calls": 2}
    trajectory = run(
        [*START, called("c1", "cat a.py", cost=0.01), observation, called("c2", "submit", cost=0.02), end],
        exit_status="Submitted",
        config=config,
        model_stats=stats,
    )
    assert kinds(trajectory) == ["system", "task", "action", "observation", "action"]
    seen = trajectory.history[3]
    assert (seen.call_ids, seen.tool, seen.command) == (("c1",), "bash", "cat a.py")
    assert [call.cost for call in trajectory.calls] == [0.01, 0.02]
    assert (trajectory.model, trajectory.cost, trajectory.exit_status) == ("deepseek/deepseek-chat", 0.25, "Submitted")
    assert trajectory.lost == ("the last message, what the run ended with, was never sent to the model",)


def test_the_responses_api() -> None:
    output = [
        {"type": "reasoning", "summary": []},
        {"type": "message", "content": [{"type": "output_text", "text": "Look."}]},
        {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": '{"command": "ls"}'},
    ]
    usage = {"input_tokens": 50, "input_tokens_details": {"cached_tokens": 40}, "output_tokens": 5}
    reply = {"object": "response", "output": output, "usage": usage, "extra": {"cost": 0.5}}
    answer = {"type": "function_call_output", "call_id": "c1", "output": "a.py", "extra": {"returncode": 0}}
    trajectory = run([*START, reply, answer])
    assert kinds(trajectory) == ["system", "task", "action", "observation"]
    assert trajectory.history[2].text == 'Look.\nbash({"command": "ls"})'
    assert trajectory.history[3].command == "ls"
    assert trajectory.history.turns == 1
    assert (trajectory.calls[0].usage, trajectory.calls[0].cost) == (Usage(50, 40, 0, 5), 0.5)


def test_a_plain_list_of_messages_has_its_files_name() -> None:
    messages = [*START, ran("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff"), said("user", "diff --git")]
    assert mini.claims(messages)
    (trajectory,) = mini.parse(messages, "runs/github_issue.traj.json")
    assert (trajectory.id, len(trajectory.history), len(trajectory.calls)) == ("github_issue", 3, 1)


@pytest.mark.parametrize(("status", "submission"), [("Submitted", "diff --git"), ("LimitsExceeded", "")])
def test_what_the_run_ended_with_was_never_sent(status: str, submission: str) -> None:
    messages = [*START, ran("ls"), said("user", "a.py"), said("user", submission)]
    trajectory = run(messages, exit_status=status, submission=submission)
    assert len(trajectory.history) == 4
    assert trajectory.lost == ("the last message, what the run ended with, was never sent to the model",)


def test_a_run_that_crashed_keeps_all_its_messages() -> None:
    trajectory = run([*START, ran("ls"), said("user", "a.py")], exit_status="AttributeError", submission="Traceback")
    assert (len(trajectory.history), trajectory.lost) == (4, ())


def test_a_wrong_format_in_fenced_text_fails_the_turn() -> None:
    trajectory = run([*START, said("assistant", "Done!"), said("user", WRONG), ran("ls"), said("user", "a.py")])
    assert kinds(trajectory) == ["system", "task", "action", "note", "action", "observation"]
    assert [message.failed for message in trajectory.history.messages] == [False, False, True, True, False, False]
    assert (trajectory.history.turns, len(trajectory.calls)) == (2, 2)


@pytest.mark.parametrize(
    ("template", "failed"),
    [("Only one command is allowed, {{n}} found", True), ("{{ error }}", False), ("(a+)+$" * 9, False)],
)
def test_the_runs_own_template_tells_a_wrong_format(template: str, failed: bool) -> None:
    config = {"agent": {"format_error_template": template}}
    answer = said("user", "Only one command is allowed, 3 found" + "a" * 100_000)
    assert run([*START, ran("ls"), answer], config=config).history[2].failed is failed


def test_a_wrong_format_with_tool_calls_is_a_call_without_a_reply() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 7}
    error = said("user", "No tool calls found", extra={"interrupt_type": "FormatError", "response": {"usage": usage}})
    trajectory = run([*START, error, called("c1", "ls")])
    assert kinds(trajectory) == ["system", "task", "note", "action"]
    assert trajectory.history[2].failed
    assert [(call.upto, call.usage) for call in trajectory.calls] == [(2, Usage(100, output=7)), (3, None)]
    assert trajectory.lost == ("1 call replied to in a wrong format, and the reply was not kept",)


def test_a_command_of_the_user_is_an_observation_and_a_word_of_the_user_is_not() -> None:
    answer = said("tool", "a.py", tool_call_id="c1", extra={"returncode": 0})
    own = said("user", "b.py", extra={"returncode": 0})
    trajectory = run([*START, called("c1", "ls"), answer, own, said("user", "Not that file.")])
    assert [message.kind for message in trajectory.history.messages[3:]] == [
        Kind.OBSERVATION,
        Kind.OBSERVATION,
        Kind.TASK,
    ]


def test_calls_without_a_message_are_told() -> None:
    trajectory = run([*START, ran("ls")], model_stats={"api_calls": 4, "instance_cost": 0.0})
    assert (trajectory.cost, trajectory.lost) == (None, ("3 calls of 4 without a message",))


def test_malformed_content_names_its_place() -> None:
    with pytest.raises(ValueError, match=r"^messages\[2\]: 'str' object has no attribute 'get'"):
        run([*START, said("assistant", "", tool_calls=["ls"])])


def test_what_our_plugin_noted_is_told_apart() -> None:
    used = {"prompt": 90, "cached": 80, "written": 0, "output": 9}
    note = {"summaries": {"3": "x"}, "summary_cost": 0.25, "summary_usage": [used, used]}
    shown = {"tokens_before": 10, "tokens_after": 9}
    trajectory = run([*START, called("c1", "ls", cost=1.0, context=note)], context=shown, model_stats={"api_calls": 1})
    assert [call.cost for call in trajectory.calls] == [0.75]
    assert trajectory.side_calls == (Call(2, Usage(180, 160, 0, 18), 0.25),)
    assert trajectory.condensed
    assert not run(START, context={"tokens_before": 9, "tokens_after": 9}).condensed
    assert run([*START, called("c1", "ls", context={"summary_cost": 0.5})]).side_calls == (Call(2, cost=0.5),)


@pytest.mark.parametrize("note", [7, [], {"summary_cost": "x", "summary_usage": [7, {"prompt": "9"}]}])
def test_an_odd_note_is_no_summary(note: object) -> None:
    trajectory = run([*START, called("c1", "ls", cost=1.0, context=note)])
    assert ([call.cost for call in trajectory.calls], trajectory.side_calls) == ([1.0], ())


def test_a_malformed_note_names_its_place() -> None:
    with pytest.raises(ValueError, match=r"^messages\[2\]\.extra\.context\.summary_usage is a number, not a list"):
        run([*START, called("c1", "ls", context={"summary_usage": 7})])
