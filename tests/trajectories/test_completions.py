import json
from pathlib import Path
from typing import Any

import pytest

from context_strategies.messages import translate
from context_strategies.prices import Usage
from context_strategies.trajectories import Trajectory, completions

SYSTEM: dict[str, Any] = {"role": "system", "content": [{"type": "text", "text": "You fix bugs."}]}
TASK: dict[str, Any] = {"role": "user", "content": "Fix a.py."}


def called(call_id: str, content: str = "Look.") -> dict[str, Any]:
    call = {"id": call_id, "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    return {"role": "assistant", "content": content, "tool_calls": [call]}


def answered(call_id: str, content: str = "a.py") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def logged(time: float, messages: list[dict[str, Any]], reply: dict[str, Any], **usage: Any) -> dict[str, Any]:
    response = {"id": f"r{time}", "model": "m-1", "choices": [{"message": reply}], "usage": usage}
    return {"messages": messages, "response": response, "cost": 0.25, "timestamp": time}


def read(*calls: Any) -> list[Trajectory]:
    assert all(completions.claims_part(call) for call in calls)
    return list(completions.parse_parts(((f"{n}.json", call) for n, call in enumerate(calls)), "runs/a-1"))


def kinds(trajectory: Trajectory) -> str:
    return " ".join(message.kind.value for message in trajectory.history.messages)


START = [SYSTEM, TASK]
NEXT = [*START, called("c1"), answered("c1")]


def test_requests_that_go_on_are_one_run() -> None:
    first = logged(1, START, called("c1"), prompt_tokens=10, completion_tokens=2)
    details = {"cached_tokens": 8}
    second = logged(2, NEXT, called("c2"), prompt_tokens=20, completion_tokens=3, prompt_tokens_details=details)
    (run,) = read(second, first)  # names need not be in order: times are
    assert kinds(run) == "system task action observation action"
    assert [(call.upto, call.usage, call.cost) for call in run.calls] == [
        (2, Usage(10, output=2), 0.25),
        (4, Usage(20, 8, output=3), 0.25),
    ]
    assert (run.id, run.model, run.cost, run.condensed) == ("a-1", "m-1", 0.5, False)


def test_cache_marks_make_no_difference() -> None:
    mark = {"type": "ephemeral"}
    parts = [{"type": "text", "text": "You fix bugs.", "cache_control": mark}]
    marked = [{"role": "system", "content": parts}, TASK]
    second = logged(2, [*START, called("c1"), {**answered("c1"), "cache_control": mark}], called("c2"))
    (run,) = read(logged(1, marked, called("c1")), second)
    assert not run.condensed
    assert len(run.calls) == 2


def test_hidden_outputs_keep_their_first_text() -> None:
    masked = [*START, called("c1"), answered("c1", "[hidden]"), called("c2"), answered("c2", "b.py")]
    calls = [logged(1, START, called("c1")), logged(2, NEXT, called("c2")), logged(3, masked, called("c3"))]
    (run,) = read(*calls)
    assert [message.text for message in run.history.messages][3::2] == ["a.py", "b.py"]
    assert run.condensed
    assert run.lost[-1] == "1 message sent anew with other text; the first is kept"


def test_other_conversations_are_runs_of_their_own() -> None:
    summary = logged(2, [{"role": "user", "content": "Summarize."}], {"role": "assistant", "content": "s"})
    cut = [*START, {"role": "user", "content": "Summary: s"}, called("c2"), answered("c2")]
    one, two, three = read(logged(1, START, called("c1")), summary, logged(3, cut, called("c3")))
    assert [run.id for run in (one, two, three)] == ["a-1#1", "a-1#2", "a-1#3"]
    assert two.lost[-1] == "the folder holds 3 conversations, or one that was condensed; this is number 2"
    assert kinds(two) == "task action"
    assert three.lost[-1] == "1 earlier call without a file, known from the first request alone"


def test_a_request_made_again_and_a_discarded_reply_stay_in_the_run() -> None:
    wrong = {"role": "assistant", "content": "Hm."}
    told = [*START, {"role": "user", "content": "Call a tool."}]
    later = [*told, called("c2"), answered("c2")]
    calls = [logged(1, START, called("c1")), logged(2, START, wrong), logged(3, told, called("c2"))]
    (run,) = read(*calls, logged(4, later, called("c3")))
    assert [call.upto for call in run.calls] == [2, 2, 3, 5]
    assert kinds(run) == "system task task action observation action"


def test_text_protocols_have_observations() -> None:
    said = {"role": "assistant", "content": "```bash\nls\n```"}
    log = [TASK, said, {"role": "user", "content": "a.py"}]
    call = logged(2, log, called("c9"))
    call["raw_response"] = {"choices": [{"message": {"role": "assistant", "content": "Done."}}]}
    first = logged(1, [TASK], said)
    (run,) = read(first, call)
    assert kinds(run) == "task action observation action"
    assert run.history[2].command == "ls"
    assert run.history[3].text == "Done."


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"messages": [3], "response": {}}, "0.json: messages[0] is a number, not an object"),
        ({"messages": [TASK], "response": {}}, "0.json: response.choices is missing, not a list"),
        ({"messages": [TASK], "response": {"choices": []}}, "0.json: response.choices is empty"),
        (
            {"messages": [{**TASK, "tool_calls": [3]}], "response": {}},
            "0.json: tool_calls[0] is a number, not an object",
        ),
    ],
)
def test_malformed_calls_are_named(call: Any, said: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011 - compared whole below
        read(call)
    assert str(error.value) == said


def test_other_formats_are_not_claimed() -> None:
    others: list[Any] = [None, 3, [], {}, {"messages": []}, {"messages": [TASK], "info": {}}, {"action": "run"}]
    for other in others:
        assert not completions.claims_part(other)


def recorded(folder: Path) -> list[tuple[str, Any]]:
    return [(file.name, json.loads(file.read_text())) for file in sorted(folder.glob("*.json"))]


def test_every_recorded_request_is_rebuilt(recordings: Path) -> None:
    calls = recorded(recordings / "openhands_v0" / "completions-sonnet35-django-11451" / "django__django-11451")
    (run,) = completions.parse_parts(calls, "runs/django__django-11451")
    assert (run.history.turns, len(run.calls), run.condensed) == (19, 20, False)
    assert run.cost == pytest.approx(1.2019, abs=1e-4)
    sent = sorted((value for _, value in calls), key=lambda value: value["timestamp"])
    for call, value in zip(run.calls, sent, strict=True):
        rebuilt = run.history.messages[: call.upto]
        assert [(m.kind, m.text) for m in rebuilt] == [(m.kind, m.text) for m in translate(value["messages"])]
        assert call.usage
        assert call.usage.prompt == value["response"]["usage"]["prompt_tokens"]


def test_a_recorded_folder_of_two_conversations(recordings: Path) -> None:
    runs = list(completions.parse_parts(recorded(recordings / "openhands_v1" / "sdk-llm-logs-sonnet4"), "logs"))
    assert [len(run.calls) for run in runs] == [5, 1]
    assert sum(run.cost or 0 for run in runs) == pytest.approx(0.1183, abs=1e-4)


def test_requests_that_do_not_follow_are_runs_of_their_own() -> None:
    unheard = logged(2, [*START, called("c9"), answered("c9")], called("c2"))
    renamed = logged(3, [{**SYSTEM, "role": "user"}, TASK, called("c1"), answered("c1")], called("c3"))
    first = logged(1, START, called("c1"))
    assert len(read(first, unheard)) == 2
    assert len(read(first, renamed)) == 2
