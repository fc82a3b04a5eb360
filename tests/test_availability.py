"""What an action needs, and whether a context still tells it."""

import pytest

from context_strategies.availability import Seen, knowledge_of, retained, seen
from context_strategies.context import Context, Keep, Mask, Summarize, build
from context_strategies.history import History, Kind, Message
from context_strategies.placeholder import Placeholder
from context_strategies.trajectories import Call, Trajectory

LONG = "and so on " * 40
HIDE = Placeholder("[gone]")


def run() -> Trajectory:
    """An output names a file and a port; the next action uses the port, the one after both."""
    messages = [
        Message(Kind.TASK, "Find it."),
        Message(Kind.ACTION, "look", call_ids=("a",)),
        Message(Kind.OBSERVATION, f"src/a.py listens on 8443 {LONG}", call_ids=("a",)),
        Message(Kind.ACTION, "curl port 8443", call_ids=("b",)),
        Message(Kind.OBSERVATION, "refused", call_ids=("b",)),
        Message(Kind.ACTION, "grep 8443 src/a.py"),
    ]
    return Trajectory("r", "r", "test", "", History(messages), (Call(1), Call(3), Call(5)))


def at(upto: int, *edits: Keep | Mask | Summarize) -> Context:
    return build(History(run().history.messages[:upto]), edits)


def test_a_needed_fact_is_one_that_an_output_held_and_the_action_uses() -> None:
    needs = knowledge_of(run()).needs
    assert needs[0] == []
    assert [(need.fact, need.holders, need.first) for need in needs[1]] == [("8443", (2,), True)]
    assert [(need.fact, need.holders, need.first) for need in needs[2]] == [
        ("8443", (2, 3), False),
        ("src/a.py", (2,), True),
    ]


def test_what_is_masked_is_hidden_but_for_what_others_still_say() -> None:
    needs = knowledge_of(run()).needs[2]
    assert seen(at(5, Keep(0, 5)), needs) == Seen(2, 2, 1, 1)
    assert seen(at(5, Mask(0, 5, HIDE)), needs) == Seen(2, 1, 1, 0, refetch=2)
    assert seen(at(5, Mask(0, 5, Placeholder("[gone]", keep_facts=3))), needs) == Seen(2, 2, 1, 1)


@pytest.mark.parametrize(("summary", "visible"), [("They use src/a.py.", 1), ("Nothing of note.", 0)])
def test_a_summary_tells_what_it_says(summary: str, visible: int) -> None:
    needs = knowledge_of(run()).needs[2]
    told = seen(at(5, Keep(0, 1), Summarize(1, 5, summary)), needs)
    assert (told.visible, told.first_visible, told.refetch) == (visible, visible, 2)


def test_retained_is_the_share_of_facts_of_outputs_that_the_last_context_holds() -> None:
    knowledge = knowledge_of(run())
    assert retained(at(5, Keep(0, 5)), knowledge) == pytest.approx(1.0)
    assert retained(at(5, Mask(0, 5, HIDE)), knowledge) == pytest.approx(1 / 2)
    assert retained(at(1, Keep(0, 1)), knowledge) == pytest.approx(1.0)
