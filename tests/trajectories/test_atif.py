"""ATIF, read by its specification and as real producers write it."""

import json
from pathlib import Path
from typing import Any

import pytest

from context_strategies.history import Kind
from context_strategies.prices import Usage
from context_strategies.trajectories import Refusal, Totals, Trajectory, read

CALL = {"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": "ls"}}
STEPS: list[dict[str, Any]] = [
    {"source": "system", "message": "You fix bugs."},
    {"source": "user", "message": "Fix a.py."},
    {
        "source": "agent",
        "message": "Look.",
        "reasoning_content": "A file must be there.",
        "tool_calls": [CALL, {"tool_call_id": "c2", "function_name": "view", "arguments": {}}],
        "observation": {
            "results": [{"source_call_id": "c2", "content": "x = 1"}, {"source_call_id": "c1", "content": "a.py"}]
        },
        "metrics": {
            "prompt_tokens": 900,
            "cached_tokens": 600,
            "completion_tokens": 40,
            "cost_usd": 0.25,
            "extra": {"cache_creation_input_tokens": 200},
        },
    },
    {"source": "agent", "message": "Done.", "metrics": {"prompt_tokens": 990, "completion_tokens": 4}},
]


def document(steps: list[dict[str, Any]] = STEPS, **fields: Any) -> dict[str, Any]:
    numbered = [{"step_id": number} | step for number, step in enumerate(steps, 1)]
    agent = {"name": "terminus-2", "version": "2.0.0", "model_name": "some-model"}
    return {"schema_version": "ATIF-v1.7", "session_id": "s-1", "agent": agent, "steps": numbered} | fields


def results(tmp_path: Path, value: object) -> list[Trajectory | Refusal]:
    path = tmp_path / "trajectory.json"
    path.write_text(json.dumps(value))
    return list(read([path]))


def run(tmp_path: Path, value: object) -> Trajectory:
    (result,) = results(tmp_path, value)
    assert isinstance(result, Trajectory), result
    return result


def refusal(tmp_path: Path, value: object) -> str:
    (result,) = results(tmp_path, value)
    assert isinstance(result, Refusal)
    assert "\n" not in str(result)
    return result.reason


def kinds(found: Trajectory) -> list[str]:
    return [message.kind for message in found.history.messages]


def test_a_document_by_the_specification(tmp_path: Path) -> None:
    found = run(tmp_path, document(final_metrics={"total_cost_usd": 0.5}, extra={"exit_status": "submitted"}))
    assert (found.id, found.format, found.model, found.exit_status) == ("s-1", "atif", "some-model", "submitted")
    assert kinds(found) == ["system", "task", "action", "observation", "observation", "action"]
    action, view, listing = found.history.messages[2:5]
    assert action.text == 'A file must be there.\nLook.\nbash({"command": "ls"})\nview()'
    assert action.call_ids == ("c1", "c2")
    assert (view.call_ids, view.tool, view.text) == (("c2",), "view", "x = 1")
    assert (listing.call_ids, listing.command, listing.text) == (("c1",), "ls", "a.py")
    assert found.history.turns == 1
    assert [(call.upto, call.usage, call.cost) for call in found.calls] == [
        (2, Usage(900, 600, 200, 40), 0.25),
        (5, Usage(990, 0, 0, 4), None),
    ]
    assert found.cost == 0.5
    assert found.lost == ("the reasoning of 1 step is here, sent back to the model or not",)


@pytest.mark.parametrize("version", [f"ATIF-v1.{minor}" for minor in range(9)] + ["1.4", "v1.5", "1.4.0"])
def test_every_version_with_and_without_its_prefix(tmp_path: Path, version: str) -> None:
    assert len(run(tmp_path, document(schema_version=version)).calls) == 2


def test_another_version(tmp_path: Path) -> None:
    newer = run(tmp_path, document(schema_version="ATIF-v1.11"))
    assert newer.lost[0] == "version ATIF-v1.11 may hold more than ATIF-v1.8, as which it is read"
    assert refusal(tmp_path, document(schema_version="ATIF-v2.0")) == (
        "malformed atif: version ATIF-v2.0: known are ATIF-v1.0 to ATIF-v1.8"
    )


def test_content_in_parts(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"media_type": "image/png", "path": "images/a.png"}}
    audio = {"type": "audio", "source": {"media_type": "audio/wav", "path": "a.wav"}}
    parts: list[Any] = [{"type": "text", "text": "See"}, image, image, audio]
    found = run(tmp_path, document([{"source": "user", "message": parts}, {"source": "agent", "message": "ok"}]))
    assert (found.history[0].text, found.history[0].images) == ("See", 2)
    assert found.lost == ("1 part of audio left out",)


def test_one_result_for_several_commands_is_taken_as_text(tmp_path: Path) -> None:
    calls = [{**CALL, "tool_call_id": name, "arguments": {"command": name}} for name in ("cd src", "make")]
    step = {"source": "agent", "message": "", "tool_calls": calls, "observation": {"results": [{"content": "ok"}]}}
    found = run(tmp_path, document([*STEPS[:2], step, STEPS[3]]))
    action, result = found.history.messages[2:4]
    assert action.text == 'bash({"command": "cd src"})\nbash({"command": "make"})'
    assert (action.call_ids, result.call_ids, result.command) == ((), (), "cd src; make")
    assert found.history.turns == 1
    assert not found.history.orphans
    assert found.lost == ("1 step with calls that no result names: answered by what comes next",)


def test_names_of_chat_messages_results_in_steps_of_their_own_and_content_that_is_an_object(tmp_path: Path) -> None:
    call = {"id": "t1", "name": "Bash", "arguments": {"command": "pwd"}}
    steps: list[dict[str, Any]] = [
        {"source": "user", "message": "Go."},
        {"source": "agent", "message": "I look."},
        {"source": "system", "message": "Tool result for t1", "observation": {"content": "/app", "type": "result"}},
        {"source": "agent", "message": "Seen.", "tool_calls": [call]},
        {"source": "system", "message": "", "observation": {"results": [{"content": {"passed": False}}]}},
    ]
    found = run(tmp_path, document(steps))
    assert kinds(found) == ["task", "action", "note", "observation", "action", "observation"]
    assert [message.text for message in found.history.messages[3:]] == [
        "/app",
        'Seen.\nBash({"command": "pwd"})',
        '{"passed": false}',
    ]
    assert found.history.turns == 2
    assert not found.history.orphans


@pytest.mark.parametrize(
    "boundary",
    [
        {"message": "", "extra": {"context_management": {"type": "compaction", "boundary": "replace"}}},
        {"message": "Performed context summarization and handoff to continue task.", "observation": {"results": [{}]}},
    ],
)
def test_what_condensed_the_context_is_left_out(tmp_path: Path, boundary: dict[str, Any]) -> None:
    summary = {"source": "user", "message": "You take over from another agent."}
    found = run(tmp_path, document([*STEPS[:3], {"source": "system"} | boundary, summary, STEPS[3]]))
    assert kinds(found) == ["system", "task", "action", "observation", "observation", "action"]
    assert found.condensed
    assert "1 condensation of the context left out: all that was condensed is here" in found.lost


def test_a_summary_in_the_boundary_itself_leaves_the_user_s_word(tmp_path: Path) -> None:
    boundary = {
        "source": "system",
        "message": "",
        "observation": {"results": [{"content": "So far: nothing."}]},
        "extra": {"context_management": {"type": "compaction", "boundary": "replace"}},
    }
    found = run(tmp_path, document([*STEPS[:3], boundary, {"source": "user", "message": "Hurry."}, STEPS[3]]))
    assert kinds(found)[-2:] == ["task", "action"]


def test_knowledge_that_is_added_is_a_note(tmp_path: Path) -> None:
    extra = {"context_management": {"type": "injection", "boundary": "append"}}
    found = run(tmp_path, document([*STEPS, {"source": "system", "message": "Mind the style.", "extra": extra}]))
    assert kinds(found)[-1] == "note"
    assert not found.condensed


def test_which_steps_are_calls(tmp_path: Path) -> None:
    steps: list[dict[str, Any]] = [
        {"source": "user", "message": "Go."},
        {"source": "agent", "message": "copied", "is_copied_context": True},
        {"source": "agent", "message": "dispatched by rule", "llm_call_count": 0},
        {"source": "agent", "message": "two", "llm_call_count": 2, "metrics": {"prompt_tokens": 9, "cost_usd": 0.1}},
        {"source": "agent", "message": "one", "llm_call_count": 1, "metrics": {"prompt_tokens": 5}},
    ]
    found = run(tmp_path, document(steps))
    assert [(call.upto, call.usage, call.cost) for call in found.calls] == [(3, None, 0.1), (4, Usage(5), None)]
    assert kinds(found) == ["task", *["action"] * 4]
    assert found.cost == pytest.approx(0.1)
    assert set(found.lost) == {
        "1 step copied from an earlier recording, whose calls are there",
        "1 step made of several calls each, whose usage is not told apart",
    }


def test_embedded_subagents_are_runs_of_their_own_and_the_total_is_not_counted_twice(tmp_path: Path) -> None:
    inner = document(trajectory_id="sub-1", final_metrics={"total_cost_usd": 0.75})
    reference = {"results": [{"subagent_trajectory_ref": [{"trajectory_id": "sub-1"}]}]}
    steps = [*STEPS, {"source": "system", "message": "", "observation": reference}]
    outer = document(steps, subagent_trajectories=[inner], final_metrics={"total_cost_usd": 1.0})
    whole, sub = results(tmp_path, outer)
    assert isinstance(whole, Trajectory)
    assert isinstance(sub, Trajectory)
    assert [(found.id, found.cost) for found in (whole, sub)] == [("s-1", 0.25), ("sub-1", 0.75)]
    assert "the work of 1 subagent left out: runs of their own" in whole.lost


def test_subagents_with_no_id_but_the_session_s_have_one_of_their_own(tmp_path: Path) -> None:
    outer = document(subagent_trajectories=[document(), document(trajectory_id="sub-1"), document()])
    assert [getattr(found, "id", None) for found in results(tmp_path, outer)] == ["s-1", "s-1#2", "sub-1", "s-1#3"]


def test_what_a_document_says_is_missing(tmp_path: Path) -> None:
    value = document(continued_trajectory_ref="trajectory.cont-1.json")
    value["agent"]["tool_definitions"] = [{}, {}]
    del value["steps"][1]
    assert run(tmp_path, value).lost[:3] == (
        "the steps are not numbered 1 to 3: some may be missing",
        "the definitions of 2 tools, part of every prompt, are not in the history",
        "it goes on in another recording",
    )


def test_a_stream_of_steps_that_was_cut_off(tmp_path: Path) -> None:
    value = document()
    lines = [{name: value[name] for name in value if name != "steps"}, *value["steps"]]
    path = tmp_path / "run.atif.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + '\n{"step_id": 5, "sour')
    found, cut = read([path])
    assert isinstance(found, Trajectory)
    assert isinstance(cut, Refusal)
    assert (found.id, found.model, len(found.calls)) == ("s-1", "some-model", 2)
    assert found.lost[0] == "a stream of steps without totals"
    assert cut.reason.startswith("line 6: no JSON: ")


def test_a_stream_without_its_first_line(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(map(json.dumps, document()["steps"])))
    (found,) = read([path])
    assert isinstance(found, Trajectory)
    assert found.lost[0] == "no version and no agent were recorded"
    assert found.id == "run"


def test_a_document_a_line(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(json.dumps(document(session_id=name)) for name in ("a", "b")))
    assert [getattr(found, "id", None) for found in read([path])] == ["a", "b"]


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ([], "no steps"),
        ([1], "steps[0] is a number, not an object"),
        ([{"source": "robot"}], "step 1: source is robot; known are: agent, system, user"),
        ([{"source": ["user"]}], "step 1: source is ['user']; known are: agent, system, user"),
        ([{"source": "agent", "tool_calls": {}}], ""),
        ([{"source": "agent", "tool_calls": "ls"}], "step 1: tool_calls is text, not a list"),
        ([{"source": "agent", "observation": {"results": [None]}}], "step 1: observation.results[0] is missing, not"),
        ([{"source": "agent", "extra": {"context_strategies": {"kind": "x"}}}], "step 1: 'x' is not a valid Kind"),
    ],
)
def test_malformed_steps_are_refused_with_their_place(tmp_path: Path, steps: list[Any], reason: str) -> None:
    value = document() | {"steps": steps}
    if reason:
        assert refusal(tmp_path, value).startswith(f"malformed atif: {reason}")
    else:
        assert run(tmp_path, value).history[0].kind is Kind.ACTION


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def test_hostile_documents(tmp_path: Path) -> None:
    deep = document([*STEPS[:2], {"source": "agent", "message": "", "tool_calls": [{**CALL, "arguments": {}}]}])
    text = json.dumps(deep).replace('"arguments": {}', '"arguments": ' + "[" * 5000 + "]" * 5000)
    path = tmp_path / "deep.json"
    path.write_text(text)
    (result,) = read([path])
    assert isinstance(result, Refusal)
    assert "nested too deeply" in result.reason

    found = run(
        tmp_path, document([{"source": "user", "message": "a\0b"}, {"source": "agent", "message": nested(200)}])
    )
    assert found.history[0].text == "a\0b"

    huge = {"prompt_tokens": 10**30, "completion_tokens": -4, "cached_tokens": True, "cost_usd": "free"}
    found = run(tmp_path, document([{"source": "agent", "message": "", "metrics": huge, "llm_call_count": 10**40}]))
    assert found.calls[0].usage is None
    assert found.calls[0].cost is None


def test_notes_of_an_export_are_not_trusted_with_places(tmp_path: Path) -> None:
    noted = {"format": "x", "side_calls": [{"upto": 999, "metrics": {"prompt_tokens": 5}}]}
    found = run(tmp_path, document(extra={"context_strategies": noted}))
    assert [call.upto for call in found.side_calls] == [len(found.history)]


def test_hundreds_of_subagents_inside_each_other_are_not_a_recursion(tmp_path: Path) -> None:
    value = document(trajectory_id="0")
    for number in range(1, 300):
        value = document(trajectory_id=str(number), subagent_trajectories=[value])
    assert len(results(tmp_path, value)) == 300


def test_totals_stand_in_where_no_step_tells_its_tokens(tmp_path: Path) -> None:
    silent = [{name: value for name, value in step.items() if name != "metrics"} for step in STEPS]
    totals = {"total_prompt_tokens": 900, "total_completion_tokens": 20}
    assert run(tmp_path, document(silent, final_metrics=totals)).totals == Totals(2, 900, 20)
    assert run(tmp_path, document(silent)).totals is None
    assert run(tmp_path, document(final_metrics=totals)).totals is None
    several = document(silent, final_metrics=totals, subagent_trajectories=[document(trajectory_id="sub-1")])
    assert isinstance(found := results(tmp_path, several)[0], Trajectory)
    assert found.totals is None


@pytest.mark.parametrize("kind", ["compaction", "pruning"])
def test_a_context_that_was_compacted_or_pruned_marks_the_run(tmp_path: Path, kind: str) -> None:
    cut = {"source": "system", "message": "Cut.", "extra": {"context_management": {"type": kind}}}
    assert run(tmp_path, document([*STEPS, cut])).condensed
