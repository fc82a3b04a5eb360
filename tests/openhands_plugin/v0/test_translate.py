"""Events to messages, without OpenHands."""

import json
from pathlib import Path
from typing import Any

import pytest

from context_strategies.history import History, Kind
from context_strategies.trajectories import openhands_v0
from openhands_plugin.v0.translate import Translator


def reply(number: int, calls: list[str]) -> dict[str, Any]:
    function = {"name": "execute_bash", "arguments": '{"command": "ls", "security_risk": "LOW"}'}
    made = [{"id": call_id, "type": "function", "function": function} for call_id in calls]
    return {"id": f"reply-{number}", "choices": [{"message": {"content": f"Look {number}.", "tool_calls": made}}]}


def events(turns: int, parallel: int = 2) -> list[dict[str, Any]]:
    """A task, then turns of ``parallel`` calls, each an action and its observation."""
    made: list[dict[str, Any]] = [
        {"id": 0, "source": "agent", "action": "system", "args": {"content": "You are an agent."}},
        {"id": 1, "source": "user", "action": "message", "args": {"content": "Do it."}},
        {"id": 2, "source": "user", "action": "recall", "args": {"query": "Do it."}},
    ]
    for turn in range(turns):
        calls = [f"call-{turn}-{n}" for n in range(parallel)]
        for call_id in calls:
            metadata = {"function_name": "execute_bash", "tool_call_id": call_id, "model_response": reply(turn, calls)}
            action = {"source": "agent", "action": "run", "args": {"command": "ls"}, "tool_call_metadata": metadata}
            answer = {"observation": "run", "content": "a.py\n" * 50, "extras": {}, "tool_call_metadata": metadata}
            made += [{"id": len(made), **action}, {"id": len(made) + 1, "cause": len(made), **answer}]
    return made


def test_parallel_calls_are_one_message_and_one_turn() -> None:
    translate = Translator()
    messages = [message for event in events(3) for message in translate(event)]
    assert [message.kind for message in messages[2:5]] == [Kind.ACTION, Kind.OBSERVATION, Kind.OBSERVATION]
    assert messages[2].call_ids == ("call-0-0", "call-0-1")
    assert messages[3].command == "ls"
    assert History(messages).turns == 3


def test_places_say_which_message_an_event_is_part_of() -> None:
    translate = Translator()
    for event in events(2):
        translate(event)
    assert translate.places == {0: 0, 1: 1, 3: 2, 4: 3, 5: 2, 6: 4, 7: 5, 8: 6, 9: 5, 10: 7}


def test_what_the_model_is_not_shown_has_no_place() -> None:
    translate = Translator()
    assert translate({"id": 7, "source": "agent", "action": "condensation_request", "args": {}}) == []
    assert translate({"id": 8, "observation": "agent_state_changed", "extras": {"agent_state": "running"}}) == []
    assert translate.places == {}


def test_no_event_is_an_error_that_says_so() -> None:
    with pytest.raises(ValueError, match="neither an action nor an observation"):
        Translator()({"id": 1})


def test_a_live_run_reads_like_its_recording(recordings: Path) -> None:
    paths = sorted(path for path in (recordings / "openhands_v0").rglob("*.json") if path.stat().st_size < 2_000_000)
    read = 0
    for path in paths:
        recording = json.loads(path.read_bytes())
        if isinstance(recording, list) and openhands_v0.claims(recording):
            translate = Translator()
            live = [message for event in recording for message in translate(event)]
            assert live == list(next(openhands_v0.parse(recording, str(path))).history.messages)
            read += 1
    assert read
