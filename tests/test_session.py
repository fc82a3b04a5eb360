import logging
from itertools import pairwise
from typing import Any

import pytest

from context_strategies import (
    Context,
    History,
    Keep,
    Kind,
    Mask,
    Message,
    Session,
    Settings,
    State,
    Terms,
    build,
    choose,
)
from context_strategies.events import Condensed, Event, Fallback, Step
from context_strategies.summarizers import SummaryRequest
from context_strategies.tighten import Tight
from conversations import HEAD, Scribe, action, conversation, masked, output, play, summaries, turn, whole
from generators import Fails, Says


def fallbacks(events: list[Event]) -> list[str]:
    return [event.reason for event in events if isinstance(event, Fallback)]


def test_the_context_is_the_same_until_something_is_fed() -> None:
    session = play(Session(choose("masking:window=1,refresh=1")), 4)
    before = session.context()
    assert session.context() is before
    session.feed([])
    assert session.context() is before
    session.feed(turn(5))
    assert session.context() is not before


def test_turns_fed_at_once_are_stepped_one_by_one() -> None:
    scribe = Scribe()
    session = Session(choose("rolling_summary"), summarizer=scribe)
    session.feed(conversation(12))
    assert [(request.turn, request.last_turn) for request in scribe.asked] == [(4, 2), (8, 6), (12, 10)]


def test_a_restart_forgets_the_conversation() -> None:
    session = play(Session(choose("masking:window=0,refresh=1")), 5)
    session.restart()
    assert list(session.context()) == []
    play(session, 1)
    assert masked(session.context()) == [1]


def test_each_request_is_an_event_that_says_what_changed() -> None:
    events: list[Event] = []
    session = play(Session(choose("masking:window=2,refresh=2"), record=events.append), 4)
    step = events[-1]
    assert isinstance(step, Step)
    assert (step.turn, step.hidden, step.boundary, step.summarized) == (4, 2, 2, 0)
    assert step.reason == "boundary moved from turn 0 to 2"
    assert step.before == session.history.tokens()
    assert step.after == session.context().tokens
    assert step.shared == session.history.tokens(0, 3), "all before the first output that is hidden now"
    assert [event.reason for event in events[:3] if isinstance(event, Step)] == ["", "", ""]


def test_a_summarizer_that_fails_is_followed_by_the_digest() -> None:
    events: list[Event] = []
    session = play(Session(choose("rolling_summary"), summarizer=Fails(), record=events.append), 4)
    assert "Digest of turns 1 to 2" in summaries(session.context())[0]
    assert fallbacks(events) == ["summarizer fails: SummarizerError: none today"]
    assert [event.by for event in events if isinstance(event, Condensed)] == ["extractive"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [("  \n", "summarizer says: empty summary"), ("word " * 1_000, "summary of 1389 tokens is no shorter than the ")],
)
def test_an_empty_or_long_summary_is_not_taken_but_recorded(text: str, reason: str) -> None:
    events: list[Event] = []
    session = play(Session(choose("rolling_summary"), summarizer=Says(text), record=events.append), 4)
    assert fallbacks(events)[0].startswith(reason)
    assert "Digest of turns 1 to 2" in summaries(session.context())[0]
    assert [event.by for event in events if isinstance(event, Condensed)] == ["says", "extractive"]


def test_where_no_summary_can_be_had_the_turns_are_masked() -> None:
    events: list[Event] = []
    everything = {"type": "rolling_summary", "every": 3, "buffer": 1, "preserve": ["(?s).+"]}
    session = Session(choose(everything), summarizer=Scribe(), record=events.append)  # no shorter than the turns
    session.feed([*HEAD, *turn(1), action(2), output(2, "ok"), *turn(3)])
    assert masked(session.context()) == [1]
    assert whole(session.context()) == [2, 3]
    assert "no summary could be had" in fallbacks(events)


def test_a_wrong_answer_of_a_summarizer_is_a_fallback_too() -> None:
    def nothing(_request: SummaryRequest) -> Any:
        return None

    wrong: Any = nothing
    session = play(Session(choose("rolling_summary"), summarizer=wrong), 4)
    assert "Digest of turns" in summaries(session.context())[0]
    assert session.strategy.type == "rolling_summary"


class Late(Settings):
    """Hides all turns up to the third and fails on the fifth."""

    type: str = "late"

    def step(self, state: State, history: History, terms: Terms) -> State:
        if history.turns == 5:
            raise ZeroDivisionError("no turn five\nfor me")
        return State(boundary=min(history.turns, 3))

    def render(self, state: State, history: History) -> Context:
        return build(history, [Keep(0, 2), Keep(history.start_of(state.boundary + 1), len(history))])


def test_a_strategy_that_fails_is_replaced_and_what_it_hid_stays_hidden(caplog: pytest.LogCaptureFixture) -> None:
    events: list[Event] = []
    with caplog.at_level(logging.WARNING):
        session = play(Session(Late(), record=events.append), 7)
    assert session.strategy.type == "masking"
    assert fallbacks(events) == ["strategy late: ZeroDivisionError: no turn five for me"]
    assert "masking from here on" in caplog.text
    assert masked(session.context()) == [1, 2, 3]


def test_an_edit_that_breaks_a_rule_is_corrected_and_the_event_says_so() -> None:
    class Careless(Settings):
        type: str = "careless"

        def render(self, state: State, history: History) -> Context:
            return build(history, [Keep(0, max(len(history) - 1, 0))])

    events: list[Event] = []
    session = play(Session(Careless(), record=events.append), 2)
    assert whole(session.context()) == [1, 2]
    assert fallbacks(events)[-1] == "messages [5, 6) kept: no safe cut"


def test_a_recorder_that_fails_is_nobodys_problem() -> None:
    def broken(_event: Event) -> None:
        raise OSError("disk full")

    assert masked(play(Session(choose("masking:window=1,refresh=1"), record=broken), 3).context()) == [1, 2]


def test_shrinking_goes_on_until_nothing_more_can_go() -> None:
    session = play(Session(choose("masking")), 30)
    sizes = [session.context().tokens]
    while session.shrink():
        sizes.append(session.context().tokens)
        assert len(sizes) < 30
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == len(set(sizes))
    assert sizes[-1] < 250, "the task, and the last turn cut to the floor"


def test_a_refused_request_can_be_shrunk_again_in_the_same_turn() -> None:
    session = Session(choose("raw"))
    session.feed([*HEAD, action(1), output(1, "a long line\n" * 4_000)])
    sizes = [session.context().tokens]
    for _ in range(3):
        assert session.shrink()
        sizes.append(session.context().tokens)
    assert all(now <= before / 2 + 1 for before, now in pairwise(sizes))


def test_a_note_between_turns_is_shown_and_ends_no_turn() -> None:
    note = Message(Kind.NOTE, "The user is looking on.")
    session = Session(choose("masking:window=1,refresh=1"))
    session.feed([*conversation(3), note])
    assert [part.place for part in session.context()][-1] == 8
    assert masked(session.context()) == [1, 2]


class Nothing(Settings):
    """Shows something else than a context once there is a turn."""

    type: str = "nothing"

    def render(self, state: State, history: History) -> Context:
        nothing: Any = None
        return nothing if history.turns else build(history, [Keep(0, len(history))])


def test_a_strategy_that_shows_no_context_is_replaced() -> None:
    events: list[Event] = []
    session = play(Session(Nothing(), record=events.append), 3)
    assert session.strategy.type == "masking"
    assert whole(session.context()) == [1, 2, 3]
    (reason,) = fallbacks(events)
    assert reason.startswith("strategy nothing: TypeError: render gave something else than a context")


class Once:
    """A way to hide that says what it makes of a message a single time."""

    def __init__(self) -> None:
        self.said: set[str] = set()

    def __call__(self, message: Message) -> str:
        if message.text in self.said:
            raise RuntimeError("said already")
        self.said.add(message.text)
        return "[hidden by a way of one's own]"


def test_what_cannot_be_tightened_stays_as_it_is() -> None:
    hide = Once()

    class Own(Settings):
        type: str = "own"

        def render(self, state: State, history: History) -> Context:
            behind = history.start_of(max(history.turns, 1))
            return build(history, [Mask(0, behind, hide), Keep(behind, len(history))])

    events: list[Event] = []
    session = Session(Own(), Terms(limit=300), record=events.append)
    session.feed(conversation(3))
    assert fallbacks(events)[0] == "RuntimeError: said already"
    assert session.strategy.type == "own"
    assert (session.tight.boundary, session.tight.folded) == (0, 0)


def test_only_a_strategy_that_summarizes_makes_a_summary_when_told_to() -> None:
    session = play(Session(choose("masking:window=1,refresh=1"), summarizer=Scribe()), 4)
    before = session.context()
    session.summarize_now()
    assert session.context() is before
    scribe = Scribe()
    session = play(Session(choose("hybrid"), summarizer=scribe), 4)
    session.summarize_now()
    assert len(scribe.asked) == 1
    assert summaries(session.context())


def test_a_strategy_without_summaries_takes_none() -> None:
    masking = choose("masking")
    state = masking.start()
    assert masking.summarized(state, SummaryRequest("", "", (), 1, 1), "text") is state


def test_a_way_to_hide_that_fails_only_once_tightened_is_not_fatal() -> None:
    asked: set[str] = set()

    def hide(message: Message) -> str | None:
        if message.text in asked:
            raise RuntimeError("asked twice")
        asked.add(message.text)
        return None

    class Once(Settings):
        type: str = "once"

        def render(self, state: State, history: History) -> Context:
            del state
            return build(history, [Mask(0, len(history), hide)])

    events: list[Event] = []
    session = Session(Once(), record=events.append)
    session.resume(session.state, 5, Tight(boundary=4))
    session.feed(conversation(5))
    assert [part.text for part in session.context()] == [None] * 12
    assert fallbacks(events) == ["RuntimeError: asked twice"]
