import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from context_strategies.history import Kind
from context_strategies.prices import Usage
from context_strategies.trajectories import Trajectory, openhands_v0, openhands_v1

SYSTEM = {
    "id": "e0",
    "kind": "SystemPromptEvent",
    "source": "agent",
    "system_prompt": {"type": "text", "text": "You fix bugs."},
    "dynamic_context": {"type": "text", "text": "Today."},
    "tools": [{}, {}, {}],
}
ROOT = "__root__"


def said(name: str, content: str, source: str = "user", **more: Any) -> dict[str, Any]:
    role = "assistant" if source == "agent" else "user"
    message = {"role": role, "content": [{"type": "text", "text": content}]}
    return {"id": name, "kind": "MessageEvent", "source": source, "llm_message": message, **more}


def act(name: str, response: str, call: str, command: str = "ls", **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "kind": "ActionEvent",
        "source": "agent",
        "thought": [{"type": "text", "text": "Look."}] if call == "c1" else [],
        "action": {"kind": "TerminalAction"},
        "tool_call_id": call,
        "tool_call": {"id": call, "name": "terminal", "arguments": json.dumps({"command": command})},
        "llm_response_id": response,
        **more,
    }


def out(name: str, call: str, content: Any = "a.py", kind: str = "GlobObservation", **more: Any) -> dict[str, Any]:
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return {
        "id": name,
        "kind": "ObservationEvent",
        "source": "environment",
        "tool_name": "terminal",
        "tool_call_id": call,
        "observation": {"kind": kind, "content": parts, "is_error": False, **more},
    }


def metrics(*rows: tuple[str, int, int, int, int, float]) -> dict[str, Any]:
    names = ("response_id", "prompt_tokens", "cache_read_tokens", "cache_write_tokens", "completion_tokens")
    return {
        "model_name": "m-1",
        "accumulated_cost": sum(row[-1] for row in rows),
        "costs": [{"cost": row[-1]} for row in rows],
        "token_usages": [dict(zip(names, row[:-1], strict=True)) for row in rows],
    }


def state(**more: Any) -> dict[str, Any]:
    return {"id": "conversation-1", "agent": {"kind": "Agent", "llm": {"model": "m-1"}}, "stats": {}, **more}


def read(*parts: dict[str, Any]) -> Trajectory:
    assert all(openhands_v1.claims_part(part) and not openhands_v0.claims_part(part) for part in parts)
    numbered = ((f"{number}.json", part) for number, part in enumerate(parts))
    (trajectory,) = openhands_v1.parse_parts(numbered, "runs/first/event_service/events")
    return trajectory


def kinds(trajectory: Trajectory) -> str:
    return " ".join(message.kind.value for message in trajectory.history.messages)


def texts(trajectory: Trajectory) -> list[str]:
    return [message.text for message in trajectory.history.messages]


def test_events_become_what_the_model_saw() -> None:
    rules = [{"type": "text", "text": "Rules."}]
    image = {"type": "image", "image_urls": ["data:"]}
    listed = [
        SYSTEM,
        said("e1", "Fix a.py.", extended_content=rules),
        act("e2", "r1", "c1"),
        out("e3", "c1", [{"type": "text", "text": "a.py"}, image]),
        said("e4", "Done.", "agent", llm_response_id="r2"),
    ]
    run = read(*listed)
    assert kinds(run) == "system task action observation action"
    assert texts(run) == [
        "You fix bugs.\nToday.",
        "Fix a.py.\nRules.",
        'Look.\nterminal({"command": "ls"})',
        "a.py",
        "Done.",
    ]
    seen = run.history[3]
    assert (seen.call_ids, seen.tool, seen.command, seen.images) == (("c1",), "terminal", "ls", 1)
    assert [call.upto for call in run.calls] == [2, 4]
    assert run.id == "first"
    assert run.lost == ("the definitions of 3 tools, part of every prompt, are not in the history",)


def test_actions_of_one_response_are_one_turn() -> None:
    run = read(
        said("e1", "Fix."), act("e2", "r1", "c1"), act("e3", "r1", "c2", "pwd"), out("e4", "c1"), out("e5", "c2")
    )
    assert kinds(run) == "task action observation observation"
    assert run.history[1].call_ids == ("c1", "c2")
    assert (run.history.turns, len(run.calls), run.history.orphans) == (1, 1, set())


def test_errors_and_rejections_are_answers() -> None:
    wrong = act("e2", "r1", "c1", action=None)
    error = {"id": "e3", "kind": "AgentErrorEvent", "source": "agent", "tool_call_id": "c1", "error": "No such tool."}
    refused = {
        "id": "e5",
        "kind": "UserRejectObservation",
        "source": "environment",
        "tool_call_id": "c2",
        "rejection_reason": "no",
    }
    run = read(said("e1", "Fix."), wrong, error, act("e4", "r2", "c2"), refused)
    assert texts(run)[2::2] == ["No such tool.", "Action rejected: no"]
    assert [message.failed for message in run.history.messages] == [False, True, True, False, False]
    assert run.history.turns == 2


def test_a_shell_shows_where_it_stands_and_long_outputs_are_cut() -> None:
    meta = {"prefix": "", "suffix": "", "working_dir": "/w", "exit_code": 2}
    shell = out("e3", "c1", "x" * 40_000, "TerminalObservation", metadata=meta)
    failing = out("e5", "c2", "bad", is_error=True)
    run = read(said("e1", "Fix."), act("e2", "r1", "c1"), shell, act("e4", "r2", "c2"), failing)
    shown = run.history[2].text
    assert len(shown) == 30_000
    assert shown.endswith("[Current working directory: /w]\n[Command finished with exit code 2]")
    assert "<response clipped>" in shown
    assert run.history[4].text == "[An error occurred during execution.]\n\nbad"
    assert "1 output cut, as the model was shown" in run.lost


def test_outputs_of_before_1_0() -> None:
    shell = out("e3", "c1", None, "ExecuteBashObservation", output="ok", error=False, metadata={"exit_code": 0})
    editor = out("e5", "c2", None, "StrReplaceEditorObservation", output="", error="No match.")
    run = read(said("e1", "Fix."), act("e2", "r1", "c1"), shell, act("e4", "r2", "c2"), editor)
    assert texts(run)[2::2] == ["ok\n[Command finished with exit code 0]", "No match."]


def test_usage_is_matched_by_response_and_summaries_are_apart() -> None:
    stats = {
        "usage_to_metrics": {
            "agent": metrics(("r1", 4, 0, 100, 5, 0.1), ("r2", 104, 100, 20, 5, 0.2)),
            "condenser": metrics(("s1", 50, 0, 0, 7, 0.3)),
        }
    }
    condensation = {
        "id": "e4",
        "kind": "Condensation",
        "source": "environment",
        "forgotten_event_ids": ["e2", "e3"],
        "summary": "s",
        "llm_response_id": "s1",
    }
    run = read(
        state(stats=stats, execution_status="finished"),
        said("e1", "Fix."),
        act("e2", "r1", "c1"),
        out("e3", "c1"),
        condensation,
        act("e5", "r2", "c2"),
        out("e6", "c2"),
    )
    assert kinds(run) == "task action observation action observation"
    assert [(call.upto, call.usage, call.cost) for call in run.calls] == [
        (1, Usage(104, 0, 100, 5), 0.1),
        (3, Usage(124, 100, 20, 5), 0.2),
    ]
    assert [(call.upto, call.usage, call.cost) for call in run.side_calls] == [(3, Usage(50, output=7), 0.3)]
    assert (run.id, run.model, run.exit_status, run.condensed) == ("conversation-1", "m-1", "finished", True)
    assert run.cost == pytest.approx(0.6)


def test_costs_that_fit_no_calls_are_said_to_be_lost() -> None:
    listed = metrics(("r1", 4, 0, 0, 5, 0.1))
    listed["costs"].append({"cost": 0.2})
    run = read(state(stats={"usage_to_metrics": {"agent": listed}}), said("e1", "Fix."), act("e2", "r1", "c1"))
    assert [(call.usage, call.cost) for call in run.calls] == [(Usage(4, output=5), None)]
    assert "2 costs recorded for 1 call, so that none has its own" in run.lost


def test_the_active_branch_is_followed() -> None:
    tree = [
        said("e1", "Fix.", parent_id=ROOT),
        said("e2", "Left.", "agent", parent_id="e1"),
        said("e3", "Right.", "agent", parent_id="e1"),
        said("e4", "On.", parent_id="e2"),
    ]
    assert texts(read(state(leaf_event_id="e4"), *tree)) == ["Fix.", "Left.", "On."]
    right = read(state(leaf_event_id="e3"), *tree)
    assert texts(right) == ["Fix.", "Right."]
    assert "2 events on other branches left out" in right.lost
    assert texts(read(*tree)) == ["Fix.", "Left.", "On."]


def test_what_is_missing_from_a_branch_is_said() -> None:
    run = read(state(leaf_event_id="gone"), said("e1", "Fix."), said("e2", "On.", parent_id="gone"))
    assert texts(run) == ["Fix.", "On."]
    assert run.lost[:2] == (
        "the event that the conversation stands at is missing; the last recorded one is taken",
        "1 event whose parent is missing",
    )


def test_one_tool_is_one_tool() -> None:
    expected = "the definitions of 1 tool, part of every prompt, are not in the history"
    assert expected in read({**SYSTEM, "tools": [{}]}, said("e1", "Fix.")).lost


def test_an_exported_list_keeps_errors_and_streamed_state() -> None:
    changes = [
        {"id": "u1", "kind": "ConversationStateUpdateEvent", "source": "environment", "key": key, "value": value}
        for key, value in [
            ("full_state", state(stats={"usage_to_metrics": {"agent": {"accumulated_cost": 0.5}}})),
            ("execution_status", "error"),
        ]
    ]
    error = {"id": "x", "kind": "ConversationErrorEvent", "source": "environment", "code": "Bad", "detail": "no\nkey"}
    (run,) = openhands_v1.parse({"conversation_id": "c-9", "events": [said("e1", "Fix."), *changes, error]}, "x.json")
    assert (run.id, run.model, run.exit_status, run.cost) == ("c-9", "m-1", "error", 0.5)
    assert run.lost[0] == "the conversation was stopped by Bad: no key"
    (bare,) = openhands_v1.parse([said("e1", "Fix."), error], "x.json")
    assert bare.exit_status == "Bad"


def test_a_line_of_a_benchmark() -> None:
    line = {
        "instance_id": "a-1",
        "metadata": {"llm": {"model": "m-2"}},
        "history": [said("e1", "Fix."), act("e2", "r1", "c1"), out("e3", "c1")],
        "metrics": metrics(("r1", 9, 0, 0, 2, 0.4)),
        "error": None,
    }
    assert openhands_v1.claims(line)
    assert not openhands_v0.claims(line)
    (run,) = openhands_v1.parse(line, "output.jsonl:1")
    assert (run.id, run.model, run.cost, run.calls[0].usage) == ("a-1", "m-2", 0.4, Usage(9, output=2))


def test_an_unknown_condenser_marks_the_run() -> None:
    agent = {"kind": "Agent", "llm": {"model": "m"}, "condenser": {"kind": "MaskCondenser"}}
    run = read(state(agent=agent), said("e1", "Fix."))
    assert run.condensed
    assert run.lost[0] == "MaskCondenser may have edited what was sent without a trace here"


def test_other_formats_are_not_claimed() -> None:
    v0 = {"id": 1, "source": "user", "action": "message", "args": {"content": "Fix."}}
    others: list[Any] = [None, 3, "x", [], {}, [None], {"kind": "Event"}, [v0], {"trajectory": [v0]}, {"agent": {}}]
    for other in others:
        assert not openhands_v1.claims(other)
        assert not openhands_v1.claims_part(other)


@pytest.mark.parametrize(
    ("event", "place"),
    [
        ({"kind": "ActionEvent", "tool_call": None}, "event e9: tool_call is missing, not an object"),
        ({"kind": "ObservationEvent", "observation": 3}, "event e9: observation is a number, not an object"),
        ({"kind": "MessageEvent"}, "event e9: llm_message is missing, not an object"),
        ({"kind": "MessageEvent", "llm_message": {"content": 3}}, "event e9: content is a number, not a list"),
        ({"kind": "PauseEvent", "parent_id": "e9"}, "the events' parents form a circle"),
    ],
)
def test_malformed_events_are_named(event: dict[str, Any], place: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011 - compared whole below
        read(said("e1", "Fix."), {"id": "e9", "source": "agent", **event})
    assert str(error.value) == place


def recorded(folder: Path) -> Trajectory:
    def parts() -> Iterator[tuple[str, Any]]:
        for file in [*folder.rglob("base_state.json"), *sorted(folder.rglob("event-*.json"))]:
            yield file.name, json.loads(file.read_text())

    (run,) = openhands_v1.parse_parts(parts(), str(folder))
    return run


RECORDED = [
    ("conv-sonnet4-0535c419", 167, 3.7199, 7),
    ("conv-sonnet4-671b8ad8", 61, 0.9565, 1),
    ("conv-sonnet4-81f92eeb", 108, 2.4498, 4),
    ("conv-sonnet4-88ca1e54", 106, 1.8304, 4),
]


@pytest.mark.parametrize(("name", "steps", "cost", "summaries"), RECORDED)
def test_recorded_usage_reproduces_recorded_cost(
    name: str, steps: int, cost: float, summaries: int, recordings: Path
) -> None:
    run = recorded(recordings / "openhands_v1" / name)
    assert (len(run.calls), len(run.side_calls), run.exit_status, run.condensed) == (steps, summaries, "finished", True)
    assert all(run.history[call.upto].kind is Kind.ACTION for call in run.calls)
    assert (run.history.turns, run.history.orphans) == (steps, set())
    assert run.cost == pytest.approx(cost, abs=1e-4)
    for call in (*run.calls, *run.side_calls):
        assert call.usage
        fresh = call.usage.prompt - call.usage.cached - call.usage.written
        dollars = (3 * fresh + 0.3 * call.usage.cached + 3.75 * call.usage.written + 15 * call.usage.output) / 1e6
        assert dollars == pytest.approx(call.cost, abs=1e-12)
    assert sum(call.cost or 0 for call in (*run.calls, *run.side_calls)) == pytest.approx(run.cost)


@pytest.mark.parametrize(
    ("name", "steps", "status"),
    [
        ("conv-sonnet4-78410477-empty", 0, "idle"),
        ("conv-partial-fab946bd", 1, ""),
        ("cli-test-creating_agent_plan", 3, ""),
    ],
)
def test_recorded_fragments(name: str, steps: int, status: str, recordings: Path) -> None:
    run = recorded(recordings / "openhands_v1" / name)
    assert (len(run.calls), run.exit_status, run.cost, run.history.orphans) == (steps, status, None, set())


def test_recorded_export_that_failed_at_once(recordings: Path) -> None:
    value = json.loads((recordings / "openhands_v1" / "extensions-plugin-trajectory.json").read_text())
    (run,) = openhands_v1.parse(value, "extensions.json")
    assert (kinds(run), run.calls, run.exit_status) == ("system task", (), "LLMBadRequestError")


def test_replies_without_usage_and_a_run_that_failed_are_told() -> None:
    line = {
        "instance_id": "a-1",
        "metadata": {"llm": {"model": "m-2"}},
        "history": [said("e1", "Fix."), act("e2", "r1", "c1"), out("e3", "c1"), act("e4", "r2", "c2")],
        "metrics": metrics(("r1", 9, 0, 0, 2, 0.4)),
        "error": "Remote\nrunner gone",
    }
    (run,) = openhands_v1.parse(line, "output.jsonl:1")
    assert "1 call of 2 without recorded usage" in run.lost
    assert run.exit_status == "error: Remote runner gone"
