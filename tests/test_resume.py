"""Sessions that go on from what an earlier one had come to, and cuts that a provider's rules for thinking forbid."""

from dataclasses import replace

from context_strategies import Drop, Edit, History, Keep, Kind, Message, Session, Summarize, build, choose

BIG = "a line of output\n" * 100


def turn(n: int, *, tied: bool = False) -> list[Message]:
    action = Message(Kind.ACTION, f"do {n}", call_ids=(f"c{n}",), tied=tied)
    return [action, Message(Kind.OBSERVATION, BIG, call_ids=(f"c{n}",))]


def run(*turns: list[Message]) -> list[Message]:
    return [Message(Kind.SYSTEM, "agent"), Message(Kind.TASK, "task"), *(m for t in turns for m in t)]


def test_a_resumed_session_goes_on_as_the_one_before() -> None:
    strategy = choose("hybrid:window=2,every=4,refresh=break_even,summarizer=extractive")
    messages = run(*map(turn, range(20)))
    whole, first, second = Session(strategy), Session(strategy), Session(strategy)
    whole.feed(messages)
    first.feed(messages[:24])
    second.resume(first.state, first.history.turns, first.tight)
    second.feed(messages)
    assert second.state == whole.state
    assert list(second.context()) == list(whole.context())


def test_of_turns_of_the_past_no_summary_is_made_and_nothing_recorded() -> None:
    events: list[object] = []
    session = Session(choose("rolling_summary:every=2,buffer=1,summarizer=extractive"), record=events.append)
    messages = run(*map(turn, range(4)))
    session.feed(messages[:-2], past=True)
    session.context(past=True)
    assert (session.state.summarized, events) == (0, [])
    session.feed(messages[-2:])
    assert session.state.summarized == 3
    assert len(events) == 1, "the summary"
    assert session.preview().tokens == session.context().tokens
    assert len(events) == 2, "and one request, of which a preview is none"


def test_a_summary_now_leaves_the_newest_turns() -> None:
    session = Session(choose("llm_summary:every=50,window=10,summarizer=extractive"))
    session.feed(run(*map(turn, range(8))))
    before = session.context().tokens
    session.summarize_now()
    assert session.state.summarized == 4
    assert session.context().tokens < before


def test_tied_turns_go_whole_or_not_at_all() -> None:
    history = History(run(turn(0), turn(1), turn(2, tied=True), turn(3, tied=True), turn(4)))
    asked: list[list[Edit]] = [
        [Keep(0, 2), Drop(2, 8), Keep(8, 12)],
        [Keep(0, 6), Summarize(6, 10, "s"), Keep(10, 12)],
        [Keep(0, 2), Drop(2, 10), Keep(10, 12)],
    ]
    shown = [[part.place for part in build(history, edits)] for edits in asked]
    assert shown == [[0, 1, *range(4, 12)], list(range(12)), [0, 1, 10, 11]]


def test_a_summary_is_asked_for_where_a_tied_stretch_ends() -> None:
    session = Session(choose("llm_summary:every=2,window=1,summarizer=extractive"))
    session.feed(run(turn(0), *(turn(n, tied=True) for n in range(1, 5)), turn(5)))
    assert session.state.summarized == 5


def test_a_stand_in_weighs_what_is_gone() -> None:
    message = Message(Kind.NOTE, "x" * 36, gone=500)
    assert message.tokens == 510
    assert replace(message, gone=0).tokens == 10
