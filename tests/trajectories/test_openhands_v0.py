import json
from pathlib import Path
from typing import Any

import pytest

from context_strategies.history import Kind
from context_strategies.prices import Usage
from context_strategies.trajectories import Trajectory, openhands_v0
from context_strategies.trajectories.openhands_v0_text import shown_text, spoken

SYSTEM = {"id": 0, "source": "agent", "action": "system", "args": {"content": "You fix bugs.", "tools": [{}, {}]}}
TASK = {"id": 1, "source": "user", "action": "message", "args": {"content": "Fix a.py."}}
STATE = {"id": 2, "source": "environment", "observation": "agent_state_changed", "extras": {"agent_state": "error"}}


def response(name: str, *calls: tuple[str, str], content: str = "Look.", **usage: Any) -> dict[str, Any]:
    made = [
        {"id": call_id, "function": {"name": "execute_bash", "arguments": json.dumps({"command": command})}}
        for call_id, command in calls
    ]
    message = {"role": "assistant", "content": content, "tool_calls": made}
    return {"id": name, "model": "m-1", "choices": [{"message": message}], "usage": usage}


def ran(made: dict[str, Any], call_id: str, *, totals: tuple[int, int, float] | None = None) -> dict[str, Any]:
    event = {
        "source": "agent",
        "action": "run",
        "args": {"command": "ls", "thought": "Look."},
        "tool_call_metadata": {"function_name": "execute_bash", "tool_call_id": call_id, "model_response": made},
    }
    if totals:
        prompt, output, cost = totals
        usage = {"model": "default", "prompt_tokens": prompt, "completion_tokens": output}
        event["llm_metrics"] = {"accumulated_cost": cost, "accumulated_token_usage": usage}
    return event


def out(call_id: str, content: str = "a.py", **extras: Any) -> dict[str, Any]:
    made = {"function_name": "execute_bash", "tool_call_id": call_id}
    return {
        "source": "agent",
        "observation": "run",
        "content": content,
        "tool_call_metadata": made,
        "extras": {"command": "ls", **extras},
    }


def read(value: Any, source: str = "runs/exported.json") -> Trajectory:
    assert openhands_v0.claims(value)
    (trajectory,) = openhands_v0.parse(value, source)
    return trajectory


def kinds(trajectory: Trajectory) -> str:
    return " ".join(message.kind.value for message in trajectory.history.messages)


def test_events_become_what_the_model_saw() -> None:
    meta = {"exit_code": 0, "working_dir": "/w", "prefix": "", "suffix": "\n[done]"}
    events = [SYSTEM, TASK, STATE, ran(response("r1", ("c1", "ls")), "c1"), out("c1", metadata=meta)]
    run = read({"trajectory": events})
    assert kinds(run) == "system task action observation"
    action, observation = run.history.messages[2:]
    assert action.text == 'Look.\nexecute_bash({"command": "ls"})'
    assert observation.text == "a.py\n[done]\n[Current working directory: /w]\n[Command finished with exit code 0]"
    assert (observation.call_ids, observation.tool, observation.command) == (("c1",), "execute_bash", "ls")
    assert (run.id, run.model, run.exit_status, [call.upto for call in run.calls]) == ("exported", "m-1", "error", [2])
    assert run.lost == ("the definitions of 2 tools, part of every prompt, are not in the history",)


def test_parallel_calls_are_one_action() -> None:
    made = response("r1", ("c1", "ls"), ("c2", "pwd"), prompt_tokens=9, completion_tokens=2)
    run = read([SYSTEM, TASK, ran(made, "c1"), out("c1"), ran(made, "c2"), out("c2", "/w")])
    assert kinds(run) == "system task action observation observation"
    assert run.history[2].call_ids == ("c1", "c2")
    assert run.history.turns == 1
    assert not run.history.orphans
    assert [call.usage for call in run.calls] == [Usage(9, output=2)]


def test_a_finish_call_waits_for_no_answer() -> None:
    made = response("r1", ("c1", "ls"))
    made["choices"][0]["message"]["tool_calls"][0]["function"]["name"] = "finish"
    more = {**TASK, "id": 9, "args": {"content": "Now b.py."}}
    run = read(
        [TASK, {**ran(made, "c1"), "action": "finish"}, more, ran(response("r2", ("c2", "ls")), "c2"), out("c2")]
    )
    assert kinds(run) == "task action task action observation"
    assert not run.history.orphans
    assert run.exit_status == "finished"


def test_a_user_goes_on_and_runs_commands() -> None:
    command = {"id": 7, "source": "user", "action": "run", "args": {"command": "make"}}
    answer = {"source": "user", "cause": 7, "observation": "run", "content": "ok", "extras": {"command": "make"}}
    said = {"source": "agent", "action": "message", "args": {"content": "Done?"}}
    run = read([TASK, said, command, answer, {**TASK, "args": {"content": "No.", "image_urls": ["u"]}}])
    assert kinds(run) == "task action task observation task"
    assert run.history[3].text == "\nObserved result of command executed by user:\nok"
    assert run.history[3].command == "make"
    assert run.history[4].images == 1


def test_recalled_knowledge_is_told_once() -> None:
    piece = {"name": "github", "content": "Use the token."}
    recall = {"source": "environment", "observation": "recall", "extras": {"microagent_knowledge": [piece]}}
    run = read([TASK, recall, recall])
    assert [message.text for message in run.history.messages] == [
        "Fix a.py.",
        "<EXTRA_INFO>\nUse the token.\n</EXTRA_INFO>",
    ]


def test_a_long_output_is_cut_where_the_run_said() -> None:
    events = [TASK, ran(response("r1", ("c1", "ls")), "c1"), out("c1", "x" * 500)]
    run = read({"history": events, "instance_id": "a-1", "metadata": {"llm_config": {"max_message_chars": 100}}})
    assert run.history[2].text == "x" * 50 + "\n[... Observation truncated due to length ...]\n" + "x" * 50
    assert "1 output cut to 100 characters, as the model was shown" in run.lost


def test_a_delegated_agent_is_hidden_behind_the_delegation() -> None:
    first = {**ran(response("r1", ("c1", "ask")), "c1"), "action": "delegate"}
    back = {**out("c1"), "observation": "delegate", "extras": {"outputs": {"content": "It is in b.py."}}}
    inside = [ran(response("r2", ("c2", "ls")), "c2"), out("c2")]
    run = read([TASK, first, *inside, back])
    assert kinds(run) == "task action observation"
    assert run.history[2].text == "It is in b.py."
    assert "2 events of delegated agents left out" in run.lost


def test_running_totals_give_each_call_its_cost_and_usage() -> None:
    one = response("r1", ("c1", "ls"), prompt_tokens=10, completion_tokens=1)
    two = response("r2", ("c2", "ls"), prompt_tokens=20, completion_tokens=2)
    condensation = {
        "source": "agent",
        "action": "condensation",
        "args": {"summary": "s"},
        "llm_metrics": {
            "accumulated_cost": 0.6,
            "accumulated_token_usage": {"prompt_tokens": 60, "completion_tokens": 6},
        },
    }
    said = {
        "source": "agent",
        "action": "message",
        "args": {"content": "Done."},
        "llm_metrics": {
            "accumulated_cost": 1.5,
            "accumulated_token_usage": {"prompt_tokens": 150, "completion_tokens": 9},
        },
    }
    run = read(
        [
            TASK,
            ran(one, "c1", totals=(10, 1, 0.1)),
            out("c1"),
            condensation,
            ran(two, "c2", totals=(85, 9, 0.9)),
            out("c2"),
            said,
        ]
    )
    assert [(call.usage, call.cost) for call in run.calls] == [
        (Usage(10, output=1), 0.1),
        (Usage(20, output=2), None),  # the totals grew by another call too
        (Usage(65, output=0), pytest.approx(0.6)),
    ]
    assert [(call.upto, call.usage, call.cost) for call in run.side_calls] == [
        (3, Usage(50, output=5), pytest.approx(0.5)),
        (3, Usage(5, output=1), None),
    ]
    assert (run.condensed, run.cost) == (True, 1.5)


def test_listed_metrics_are_matched_by_response() -> None:
    listed = [
        {"response_id": "r0", "prompt_tokens": 5, "completion_tokens": 1},
        {"response_id": "r1", "prompt_tokens": 7, "completion_tokens": 2},
    ]
    metrics = {"accumulated_cost": 0.3, "costs": [{"cost": 0.1}, {"cost": 0.2}], "token_usages": listed}
    events = [TASK, ran(response("r1", ("c1", "ls")), "c1"), out("c1")]
    run = read({"history": events, "instance_id": "a-1", "metrics": metrics, "error": "Agent\nstuck"})
    assert [(call.usage, call.cost) for call in run.calls] == [(Usage(7, output=2), 0.2)]
    assert [call.cost for call in run.side_calls] == [0.1]
    assert run.lost[-1] == "1 recorded call of 2 without a reply here"
    assert (run.id, run.exit_status, run.cost) == ("a-1", "error: Agent stuck", 0.3)


def test_pairs_and_text_actions_of_old_versions() -> None:
    task = {"action": "message", "content": "Fix a.py."}
    act = {"action": "run", "command": "ls", "thought": "Look."}
    seen = {"observation": "run", "content": "a.py", "command": "ls", "exit_code": 0}
    run = read({"history": [[task, {"observation": "null"}], [act, seen]], "metrics": {"costs": [0.5]}})
    assert kinds(run) == "task action observation"
    assert run.history[1].text == "Look.\n<execute_bash>\nls\n</execute_bash>"
    assert run.history[2].text == "a.py\n[Command finished with exit code 0]"
    assert [call.cost for call in run.calls] == [0.5]


@pytest.mark.parametrize(
    ("config", "condensed"),
    [
        ({"type": "noop"}, False),
        ({"type": "llm"}, False),
        ({"type": "observation_masking"}, True),
        ({"type": "pipeline", "condensers": [{"type": "recent"}]}, True),
    ],
)
def test_a_condenser_without_events_marks_the_run(config: dict[str, Any], condensed: bool) -> None:
    assert read({"history": [TASK], "metadata": {"condenser_config": config}}).condensed is condensed


def test_writes_left_out_of_the_prompt_are_put_back_for_the_whole_run() -> None:
    first = response("r1", ("c1", "ls"), prompt_tokens=4, completion_tokens=1, cache_creation_input_tokens=100)
    details = {"cached_tokens": 100}
    second = response(
        "r2", ("c2", "ls"), prompt_tokens=130, prompt_tokens_details=details, cache_creation_input_tokens=9
    )
    run = read([TASK, ran(first, "c1"), out("c1"), ran(second, "c2"), out("c2")])
    assert [call.usage for call in run.calls] == [Usage(104, 0, 100, 1), Usage(139, 100, 9, 0)]


def test_other_formats_are_not_claimed() -> None:
    swe_agent = {"trajectory": [{"action": "ls", "observation": "a.py", "thought": ""}], "history": []}
    v1 = {"kind": "ObservationEvent", "source": "environment", "observation": {"kind": "X"}}
    for other in (None, 3, "x", [], {}, [None], swe_agent, [v1], {"action": "dance"}):
        assert not openhands_v0.claims(other)
        assert not openhands_v0.claims_part(other)


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ([TASK, 3], "event 1: it is a number, not an object"),
        ([TASK, {"source": "agent"}], "event 1: neither an action nor an observation"),
        ([TASK, ran({"id": "r"}, "c1")], "event 1: tool_call_metadata.model_response.choices is missing, not a list"),
        ([TASK, ran({"id": "r", "choices": []}, "c1")], "event 1: tool_call_metadata.model_response.choices is empty"),
        ({"history": [TASK], "metrics": {"token_usages": [7]}}, "metrics.token_usages[0] is a number, not an object"),
        ({"history": [TASK], "metrics": {"costs": 7}}, "metrics.costs is a number, not a list"),
    ],
)
def test_malformed_content_is_named(broken: Any, said: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011 - compared whole below
        read(broken)
    assert str(error.value) == said


RECORDED = [
    ("ui-issue10730-297events.json", 96, 19.0836),
    ("test-basic_gui_mode.json", 5, None),
    ("eval-multiswe-maverick-output.jsonl", 105, None),
    ("resolver-mock-output.jsonl", 26, 1.2236),
    ("eval-gpt5-fastjson2-output.jsonl", 20, 0.5809),
    ("session-gpt4o-be2d92fb", 29, 1.3616),
    ("session-gpt4o-6ef8cfd7", 30, 0.8744),
    ("session-63b431", 3, 0.0347),
]


@pytest.mark.parametrize(("name", "steps", "cost"), RECORDED)
def test_recorded_runs_have_their_steps_and_cost(name: str, steps: int, cost: float | None, recordings: Path) -> None:
    path = recordings / "openhands_v0" / name
    if path.is_dir():
        files = sorted(path.glob("*.json"), key=lambda file: int(file.stem))
        runs = list(openhands_v0.parse_parts(((file.name, json.loads(file.read_text())) for file in files), str(path)))
        assert runs[0].id == name
    elif path.suffix == ".jsonl":
        runs = [read(json.loads(line)) for line in path.open()]
    else:
        runs = [read(json.loads(path.read_text()))]
    actions = [message for run in runs for message in run.history.messages if message.kind is Kind.ACTION]
    calls = [call for run in runs for call in run.calls]
    assert len(actions) == len(calls) == steps
    assert all(run.history[call.upto].kind is Kind.ACTION for run in runs for call in run.calls)
    assert not any(run.history.orphans for run in runs)
    total = sum(run.cost or 0 for run in runs)
    assert total == pytest.approx(cost or 0, abs=1e-4)


def test_recorded_cost_follows_from_normalised_usage(recordings: Path) -> None:
    files = sorted((recordings / "openhands_v0" / "session-63b431").glob("*.json"), key=lambda file: int(file.stem))
    (run,) = openhands_v0.parse_parts(((file.name, json.loads(file.read_text())) for file in files), "s")
    for call in run.calls:
        assert call.usage
        fresh = call.usage.prompt - call.usage.cached - call.usage.written
        dollars = (3 * fresh + 0.3 * call.usage.cached + 3.75 * call.usage.written + 15 * call.usage.output) / 1e6
        assert dollars == pytest.approx(call.cost, abs=1e-9)


def test_odd_outputs_are_shown_as_the_scaffold_shows_them() -> None:
    picture = "1\n![image](data:image/png;base64,AAAA)\n2"
    assert shown_text("run_ipython", picture, {}, 99) == (
        "1\n![image](data:image/png;base64, ...) already displayed to user\n2",
        False,
    )
    assert shown_text("delegate", "", {"outputs": {"content": "Done."}}, 99) == ("Done.", False)
    assert shown_text("error", "No.", {}, 99)[0] == "No.\n[Error occurred in processing last action]"
    rejected, _ = shown_text("user_rejected", "No.", {}, 99)
    assert rejected == "OBSERVATION:\nNo.\n[Last action has been rejected by the user]"


def test_replies_without_a_recorded_response_are_made_up_from_their_action() -> None:
    call = spoken("read", {"path": "a.py", "thought": "See."}, {"tool_call_id": "c1", "function_name": "view"})
    assert call == {
        "content": "See.",
        "tool_calls": [{"id": "c1", "function": {"name": "view", "arguments": '{"path": "a.py"}'}}],
    }
    assert spoken("finish", {"final_thought": "All done."}, {}) == {"content": "All done."}
    assert spoken("message", {"content": "Which file?"}, {}) == {"content": "Which file?"}
    assert spoken("read", {"path": "a.py", "thought": "See."}, {}) == {"content": 'See.\nread({"path": "a.py"})'}


def test_what_the_user_does_beside_talking_is_not_told() -> None:
    run = read([SYSTEM, TASK, {"id": 5, "source": "user", "action": "change_agent_state", "args": {}}])
    assert kinds(run) == "system task"
