from collections.abc import Sequence

from context_strategies import Drop, Edit, History, Keep, Kind, Mask, Message, Summarize, build
from context_strategies.history import IMAGE_TOKENS
from context_strategies.measure import Measure, Shared, count_messages
from context_strategies.placeholder import Placeholder
from conversations import HEAD, action, conversation, output, turn

HIDE = Placeholder("[gone]")


def letters(texts: Sequence[str]) -> list[int]:
    return [len(text) for text in texts]


def measured(history: History) -> Measure:
    return Measure(history, count_messages(history.messages, letters), letters)


def test_images_count_besides_text() -> None:
    assert count_messages([Message(Kind.OBSERVATION, "abc", images=2)], letters) == [3 + 2 * IMAGE_TOKENS]


def test_a_context_weighs_what_its_messages_do() -> None:
    history = History(conversation(3))
    size = [len(message.text) for message in history.messages]
    context = build(history, [Keep(0, 2), Summarize(2, 4, "Turn 1."), Mask(4, 6, HIDE), Keep(6, 8)])
    measure = measured(history)
    assert measure.tokens(context) == sum(size[:2]) + len("Turn 1.") + size[4] + len("[gone]") + sum(size[6:])
    assert measure.tokens(context, 5) == sum(size[:2]) + len("Turn 1.") + size[4]


def test_every_text_is_counted_once() -> None:
    counted: list[str] = []

    def count(texts: Sequence[str]) -> list[int]:
        counted.extend(texts)
        return letters(texts)

    history = History(conversation(3))
    measure = Measure(history, [0] * len(history), count)
    for _ in range(3):
        measure.tokens(build(history, [Mask(0, 8, HIDE)]))
        measure.text("a summary")
    assert counted == ["[gone]"] * 3 + ["a summary"]


def test_requests_share_what_comes_before_the_first_difference() -> None:
    history = History(conversation(3))
    size = [len(message.text) for message in history.messages]
    measure = measured(history)
    raw = build(history, [Keep(0, 8)])
    cases: list[tuple[list[Edit], int]] = [
        ([Keep(0, 8)], 8),
        ([Mask(0, 4, HIDE), Keep(4, 8)], 3),
        ([Keep(0, 4), Mask(4, 8, HIDE)], 5),
        ([Keep(0, 2), Summarize(2, 4, "One."), Keep(4, 8)], 2),
        ([Keep(0, 6)], 6),
    ]
    for edits, index in cases:
        assert measure.shared(raw, build(history, edits)) == Shared(sum(size[:index]), index)


def test_a_shorter_request_is_shared_whole() -> None:
    history = History(conversation(2))
    before = build(history, [Mask(0, 6, HIDE)])
    history.extend(turn(3))
    now = build(history, [Mask(0, 6, HIDE), Keep(6, 8)])
    measure = measured(history)
    assert measure.shared(before, now) == Shared(measure.tokens(before), 6)


def test_the_same_summary_is_shared_and_a_renewed_one_is_not() -> None:
    history = History(conversation(4))
    measure = measured(history)
    old = build(history, [Keep(0, 2), Summarize(2, 4, "One."), Keep(4, 10)])
    further = build(history, [Keep(0, 2), Summarize(2, 6, "One."), Keep(6, 10)])
    renewed = build(history, [Keep(0, 2), Summarize(2, 4, "Two."), Keep(4, 10)])
    assert measure.shared(old, old).index == 10
    assert measure.shared(old, further).index == 4
    assert measure.shared(old, renewed).index == 2


def test_messages_that_neither_request_shows_make_no_difference() -> None:
    history = History([*HEAD, action(1), HEAD[1], *turn(2), output(9), *turn(3)])
    measure = measured(history)
    dropped = build(history, [Keep(0, 2), Drop(2, 4), Keep(4, 9)])
    assert measure.shared(build(history, [Keep(0, 9)]), dropped).index == 9, "an orphan, and the user's word"


def test_messages_that_become_orphans_weigh_nothing_from_then_on() -> None:
    history = History([*HEAD, action(1, "call_1b"), output(1)])
    sizes = count_messages(history.messages, letters)
    measure = Measure(history, sizes, letters)
    assert measure.tokens(build(history, [Mask(0, 4, HIDE)])) == sum(sizes[:3]) + len("[gone]")
    history.extend(turn(2))
    sizes += count_messages(turn(2), letters)
    assert measure.tokens(build(history, [Mask(0, 6, HIDE)])) == sum(sizes[:2]) + sizes[4] + len("[gone]")
