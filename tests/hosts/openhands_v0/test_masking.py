"""Masking in real runs: every call keeps its answer, and OpenHands' own record keeps everything."""

from collections import Counter
from typing import Any

from context_strategies.testing import parallel
from openhands_v0_runs import BIG, FINISH, OpenHands, numbers, shown

MASKING = """
    [condenser]
    type = "masking"
    window = 5
    refresh = 1
"""
BUILT_IN = """
    [condenser]
    type = "observation_masking"
    attention_window = 10
"""


def pairs(messages: list[dict[str, Any]]) -> tuple[int, int]:
    """How many replies and how many tools' answers there are."""
    roles = Counter(message["role"] for message in messages)
    return roles["assistant"], roles["tool"]


def test_every_call_keeps_its_answer_where_the_built_in_masking_loses_twenty(openhands: OpenHands) -> None:
    ours = openhands.run(MASKING, [*BIG, FINISH])
    assert ours.end == "finished"
    assert len(ours.log) == len(ours.requests) == 26
    last = ours.requests[-1]
    assert pairs(last.messages) == (25, 25)
    hidden = [text for role, text in shown(last) if role == "tool" and "hidden" in text]
    assert len(hidden) == 20
    assert hidden[0].startswith('[Output of "sleep 0.05; seq 1000 1799" hidden: 803 lines, 4,')
    assert hidden[0].endswith(" characters. Run it again if you need it.]")


def test_the_built_in_masking_loses_twenty(openhands: OpenHands) -> None:
    theirs = openhands.run(BUILT_IN, [*BIG, FINISH])
    assert pairs(theirs.requests[-1].messages) == (5, 5)


def test_parallel_calls_are_one_turn(openhands: OpenHands) -> None:
    script = [parallel(numbers(turn, turn + 99), numbers(turn, turn + 199)) for turn in range(1, 13)]
    ours = openhands.run(MASKING, [*script, FINISH])
    assert ours.end == "finished"
    last = ours.requests[-1]
    assert pairs(last.messages) == (12, 24)
    answers = [text for role, text in shown(last) if role == "tool"]
    assert ["hidden" in answer for answer in answers] == [True] * 14 + [False] * 10


def test_openhands_keeps_what_the_model_is_not_shown(openhands: OpenHands) -> None:
    ours = openhands.run(MASKING, [*BIG, FINISH])
    outputs = [event["content"] for event in ours.trajectory if event.get("observation") == "run"]
    assert len(outputs) == 25
    assert all(len(output) > 3_000 and "hidden" not in output for output in outputs)


def test_the_session_says_what_it_did_beside_the_trajectory(openhands: OpenHands) -> None:
    ours = openhands.run(MASKING, [*BIG, FINISH])
    assert [event["turn"] for event in ours.events] == list(range(26))
    assert ours.events[-1]["boundary"] == 20
    assert ours.events[-1]["hidden"] == 20
    noted = [event for batch in ours.state.extra_data["condenser_meta"] for event in batch["context_strategies"]]
    assert noted == ours.events


def test_a_pipeline_holds_ours_beside_openhands_own(openhands: OpenHands) -> None:
    pipeline = """
        [condenser]
        type = "pipeline"
        condensers = [{type = "browser_output_masking"}, {type = "masking", window = 5, refresh = 1}]
    """
    ours = openhands.run(pipeline, [*BIG[:10], FINISH])
    assert ours.end == "finished"
    assert sum("hidden" in text for _, text in shown(ours.requests[-1])) == 5
