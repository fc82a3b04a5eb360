from dataclasses import replace
from itertools import pairwise

from context_strategies import Context, Drop, Edit, History, Keep, Kind, Mask, Message, Part, Summarize, build
from context_strategies.context import weigh
from context_strategies.masks import masks_of
from context_strategies.placeholder import Placeholder
from context_strategies.tokens import estimate
from conversations import HEAD, action, conversation, output, turn

HIDE = Placeholder("[gone]")


def places(context: Context) -> list[int | None]:
    return [part.place for part in context]


def test_edits_say_what_is_shown() -> None:
    history = History(conversation(3))
    edits: list[Edit] = [Keep(0, 2), Summarize(2, 4, "Turn 1."), Mask(4, 6, HIDE), Keep(6, 8)]
    context = build(history, edits)
    assert list(context)[2:5] == [Part(None, "Turn 1."), Part(4, None), Part(5, "[gone]")]
    assert context.corrections == ()
    kept = history.tokens(0, 2) + history.tokens(4, 5) + history.tokens(6, 8)
    assert context.tokens == kept + estimate("Turn 1.") + estimate("[gone]")
    assert context.hidden == 3


def test_tokens_before_a_message_are_those_of_the_parts_before_it() -> None:
    history = History([*conversation(2), HEAD[1], *turn(3), *turn(4)])
    edits: list[Edit] = [Keep(0, 2), Summarize(2, 7, "Turns 1 and 2."), Mask(7, 9, HIDE), Keep(9, 11)]
    context = build(history, edits)
    assert len(context.edits) == 4
    for stop in range(len(history) + 1):
        shown = [part for part in context if part.place is not None and part.place < stop]
        texts = [history[part.place or 0].text if part.text is None else part.text for part in shown]
        summary = estimate("Turns 1 and 2.") if stop > 2 else 0
        assert context.tokens_before(stop) == summary + sum(map(estimate, texts))
    assert context.tokens_before(len(history)) == context.tokens


def test_what_no_edit_names_is_dropped_but_the_task_stays() -> None:
    history = History([*conversation(2), HEAD[1], *turn(3)])
    context = build(history, [Keep(7, 9)])
    assert places(context) == [0, 1, 6, 7, 8]
    assert list(context)[2] == Part(6, None)


def test_edits_that_overlap_or_lie_outside_are_clipped() -> None:
    history = History(conversation(2))
    context = build(history, [Mask(0, 4, HIDE), Keep(-5, 3), Keep(4, 99)])
    assert [(edit.start, edit.stop) for edit in context.edits] == [(0, 3), (3, 4), (4, 6)]
    assert "edit of [4, 99) clipped to [4, 6)" in context.corrections


def test_a_cut_inside_a_turn_moves_to_its_edge() -> None:
    history = History(conversation(3))
    context = build(history, [Keep(0, 3), Drop(3, 7), Keep(7, 8)])
    assert places(context) == [0, 1, 2, 3, 6, 7]
    assert "cut of [3, 7) moved to [4, 6)" in context.corrections


def test_half_a_turn_is_not_cut_at_all() -> None:
    history = History([*HEAD, action(1, "call_1b"), output(1), output(1, call_id="call_1b")])
    context = build(history, [Keep(0, 4)])
    assert places(context) == [0, 1, 2, 3, 4], "parallel calls stay together"
    assert context.corrections == ("messages [4, 5) kept: no safe cut",)


def test_a_call_that_waits_is_never_cut() -> None:
    history = History([*conversation(1), action(2)])
    assert places(build(history, [])) == [0, 1, 4]
    assert places(build(history, [Summarize(2, 5, "All.")])) == [0, 1, None, 4]


def test_turns_that_are_tied_go_whole_or_stay() -> None:
    tied = Message(Kind.ACTION, "thinking on", call_ids=("call_2",), tied=True)
    history = History([*conversation(1), tied, output(2), *turn(3)])
    assert places(build(history, [Keep(0, 2), Keep(4, 8)])) == list(range(8))
    assert places(build(history, [Keep(0, 2), Keep(6, 8)])) == [0, 1, 6, 7]
    assert places(build(history, [Keep(0, 4), Keep(6, 8)])) == list(range(8))


def test_orphans_are_shown_by_no_edit() -> None:
    history = History([*HEAD, action(1), *turn(2), output(9)])
    assert places(build(history, [Keep(0, 6)])) == [0, 1, 3, 4]
    assert places(build(history, [Mask(0, 6, HIDE)])) == [0, 1, 3, 4]


def test_a_summary_longer_than_what_it_replaces_is_refused() -> None:
    history = History(conversation(2))
    context = build(history, [Keep(0, 2), Summarize(2, 4, "word " * 1_000), Keep(4, 6)])
    assert places(context) == list(range(6))
    assert context.corrections == ("summary of [2, 4) refused: longer than what it replaces",)


def test_a_mask_that_saves_nothing_is_not_put_on() -> None:
    history = History([*HEAD, action(1), output(1, "ok"), *turn(2)])
    context = build(history, [Mask(0, 6, Placeholder("[a long placeholder]"))])
    assert [part.text for part in context] == [None] * 5 + ["[a long placeholder]"]


def test_masks_are_made_once_a_history() -> None:
    made: list[str] = []

    def hide(message: Message) -> str:
        made.append(message.text)
        return ""

    history = History(conversation(3))
    for _ in range(3):
        assert build(history, [Mask(0, 8, hide)]).tokens < history.tokens()
    assert len(made) == 3
    masks = masks_of(history, hide)
    assert (masks.first(0, 8), masks.first(4, 5), masks.count(0, 8)) == (3, None, 3)
    assert masks.saved(0, 4) == history[3].tokens


def test_marks_stand_at_the_last_shown_message_up_to_them() -> None:
    history = History(conversation(4))
    edits: list[Edit] = [Keep(0, 2), Summarize(2, 6, "Two turns."), Keep(6, 10)]
    built = build(history, edits)
    for marks, positions in (((1,), [1]), ((4, 7), [1, 4]), ((9,), [6]), ((), [])):
        context = Context(built.history, built.length, built.edits, marks=marks)
        assert context.marked_parts == positions


def test_a_mark_at_the_start_of_a_stretch_and_among_orphans() -> None:
    plain = build(History(conversation(3)), [Keep(0, 4), Keep(4, 8)])
    assert replace(plain, marks=(4,)).marked_parts == [4]
    # Message 2 is a call that nothing answers, 5 an answer to no call.
    history = History([*HEAD, action(1), *turn(2), output(9), *turn(3)])
    built = build(history, [Keep(0, 2), Keep(2, 6), Keep(6, 8)])
    for mark, position in ((1, 1), (2, 1), (3, 2), (4, 3), (5, 3), (6, 4)):
        assert replace(built, marks=(mark,)).marked_parts == [position]


def test_what_is_hidden_counts_no_orphans_and_no_task() -> None:
    orphans = History([*HEAD, action(1), *turn(2), output(9), *turn(3)])
    assert build(orphans, [Keep(0, 2), Drop(2, 6), Keep(6, 8)]).hidden == 2
    behind = History([*HEAD, *turn(1), action(2), *turn(3)])
    assert build(behind, [Keep(0, 2), Drop(2, 4), Keep(4, 7)]).hidden == 2
    later = History([*conversation(2), HEAD[1], *turn(3)])
    dropped = build(later, [Keep(0, 2), Drop(2, 7), Keep(7, 9)])
    assert dropped.hidden == 4
    assert dropped.tokens == later.tokens(0, 2) + HEAD[1].tokens + later.tokens(7, 9)


def test_a_masked_stretch_weighs_what_it_shows() -> None:
    history = History([*HEAD, action(1), output(1, "a long line\n" * 90), *turn(2), *turn(3)])
    assert weigh(history, Mask(2, 4, HIDE)) == history[2].tokens + estimate("[gone]")


def test_an_empty_edit_is_nothing() -> None:
    history = History(conversation(2))
    assert build(history, [Keep(0, 2), Drop(2, 2), Keep(2, 6)]).edits == (Keep(0, 2), Keep(2, 6))
    assert build(history, [Drop(0, 1), Keep(1, 6)]).edits == (Drop(0, 1), Keep(1, 6))


def test_what_is_left_of_a_moved_cut_is_kept() -> None:
    history = History(conversation(3))
    context = build(history, [Keep(0, 3), Summarize(3, 7, "Turn 2."), Keep(7, 8)])
    assert context.edits == (Keep(0, 3), Keep(3, 4), Summarize(4, 6, "Turn 2."), Keep(6, 7), Keep(7, 8))
    context = build(history, [Keep(0, 2), Drop(2, 7), Keep(7, 8)])
    assert context.edits == (Keep(0, 2), Drop(2, 6), Keep(6, 7), Keep(7, 8))
    assert build(history, [Keep(0, 2), Drop(2, 3), Keep(3, 8)]).corrections == ("messages [2, 3) kept: no safe cut",)


def test_a_summary_may_weigh_what_it_replaces_and_no_more() -> None:
    history = History(conversation(3))
    room = history.tokens(2, 4)
    longest = "x" * int(room * 3.6)
    assert estimate(longest) == room
    assert build(history, [Keep(0, 2), Summarize(2, 4, longest), Keep(4, 8)]).corrections == ()
    longer = build(history, [Keep(0, 2), Summarize(2, 4, longest + "more"), Keep(4, 8)])
    assert longer.corrections == ("summary of [2, 4) refused: longer than what it replaces",)


def test_a_first_turn_is_tied_to_nothing() -> None:
    tied = Message(Kind.ACTION, "thinking", call_ids=("call_1",), tied=True)
    history = History([*HEAD, tied, output(1), *turn(2)])
    assert places(build(history, [Keep(0, 2), Keep(4, 6)])) == [0, 1, 4, 5]


def test_marks_are_the_settled_ends_of_this_request_and_the_one_before() -> None:
    history = History(conversation(3))
    at = [build(history, [Keep(0, 8)], settled) for settled in (-1, 0, 1, 5, None)]
    marks = [now.marked(before).marks for before, now in pairwise(at)]
    assert marks == [(0,), (0, 1), (1, 5), (5,)]
    assert at[0].marked(None).marks == ()
    half = build(history, [Keep(0, 3), Drop(3, 7), Keep(7, 8)], settled=2)
    assert half.marked(None) == replace(half, marks=(2,))
    assert half.corrections
