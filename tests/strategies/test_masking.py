import pytest

from context_strategies import Context, History, Kind, Message, Session, Terms, choose
from context_strategies.placeholder import Placeholder
from context_strategies.prices import relative
from context_strategies.tokens import estimate
from conversations import HEAD, action, conversation, masked, output, play, turn, whole

UNCACHED = Terms(relative().uncached())


def test_the_papers_masking_hides_all_but_the_last_ten_outputs_at_each_turn() -> None:
    def check(number: int, context: Context) -> None:
        assert masked(context) == list(range(1, number - 10 + 1))
        assert whole(context) == list(range(max(number - 9, 1), number + 1))

    play(Session(choose("masking:window=10,refresh=1")), 25, check)


def test_reasoning_and_actions_stay() -> None:
    session = play(Session(choose("masking:window=1,refresh=1")), 12)
    shown = [part.place for part in session.context()]
    assert shown == list(range(len(session.history))), "masked messages keep their place and their call"


def test_refresh_k_moves_the_boundary_every_k_turns() -> None:
    moves: list[int] = []

    def check(number: int, context: Context) -> None:
        hidden = masked(context)
        assert hidden == list(range(1, max(number - 3, 0) // 4 * 4 + 1))
        moves.append(len(hidden))

    play(Session(choose("masking:window=3,refresh=4")), 20, check)
    assert sorted(set(moves)) == [0, 4, 8, 12, 16]


def test_min_tokens_moves_the_boundary_when_that_much_would_go_at_once() -> None:
    saved = output(1).tokens - estimate(Placeholder()(output(1)) or "")
    seen: list[int] = []
    spec = f"masking:window=2,refresh={{min_tokens: {3 * saved}}}"
    play(Session(choose(spec)), 10, lambda _number, context: seen.append(len(masked(context))))
    assert seen == [0, 0, 0, 0, 3, 3, 3, 6, 6, 6]


def test_window_zero_hides_the_newest_output_too() -> None:
    session = play(Session(choose("masking:window=0,refresh=1")), 3)
    assert masked(session.context()) == [1, 2, 3]


def test_break_even_without_a_cache_hides_at_each_turn() -> None:
    session = play(Session(choose("masking:window=4"), UNCACHED), 12)
    assert masked(session.context()) == list(range(1, 9))


def test_break_even_with_a_cache_moves_in_batches() -> None:
    boundaries: list[int] = []
    play(Session(choose("masking:window=4")), 40, lambda _number, context: boundaries.append(len(masked(context))))
    moves = [n for n, last in zip(boundaries[1:], boundaries, strict=False) if n != last]
    assert 1 < len(moves) < 18, "fewer moves than turns that could be hidden, and more than none"


def test_outputs_no_longer_than_their_placeholder_stay() -> None:
    session = Session(choose("masking:window=0,refresh=1"))
    session.feed([*HEAD, action(1), output(1, "ok"), action(2), output(2)])
    assert whole(session.context()) == [1]
    assert masked(session.context()) == [2]


def test_tags_keep_an_output_for_good_or_drop_it_at_once() -> None:
    session = Session(choose("masking:window=2,refresh=1"))
    kept = output(1, tags=frozenset({"keep_output"}))
    dropped = output(6, tags=frozenset({"remove_output"}))
    session.feed([*HEAD, action(1), kept, *(m for n in range(2, 6) for m in turn(n)), action(6), dropped])
    assert whole(session.context()) == [1, 5]
    assert masked(session.context()) == [2, 3, 4, 6]


def test_what_stands_before_the_first_action_is_in_no_window() -> None:
    greeting = Message(Kind.OBSERVATION, "Welcome to the machine.\n" * 40)
    session = Session(choose("masking:window=0,refresh=1"))
    session.feed([*HEAD, greeting, *turn(1)])
    assert whole(session.context()) == [0]


def test_a_call_that_waits_for_its_answer_is_in_no_window_either() -> None:
    session = Session(choose("masking:window=0,refresh=1"))
    session.feed([*conversation(2), action(3, "call_3b"), output(3)])
    assert masked(session.context()) == [1, 2]
    session.feed([output(3, call_id="call_3b")])
    assert masked(session.context()) == [1, 2, 3, 3]


def test_the_placeholder_is_the_users_and_may_keep_facts_and_lines() -> None:
    spec = {"type": "masking", "window": 0, "refresh": 1, "keep_lines": 1, "placeholder": "[{lines} lines gone]"}
    session = Session(choose(spec))
    session.feed([*HEAD, action(1), output(1, "first\n" + "middle\n" * 40 + "last\n")])
    assert [part.text for part in session.context()][-1] == "[42 lines gone]\nfirst\n[...]\nlast"


@pytest.mark.parametrize("turns", [0, 1, 5])
def test_the_settled_end_stands_before_the_oldest_output_that_may_still_go(turns: int) -> None:
    session = play(Session(choose("masking:window=2,refresh=1")), turns + 2)
    oldest = session.history.end_of(turns) + 1
    assert session.context().settled == oldest - 1


def test_a_history_without_turns_is_shown_whole() -> None:
    strategy = choose("masking")
    for messages in ([], HEAD):
        context = strategy.render(strategy.start(), History(messages))
        assert [part.place for part in context] == list(range(len(messages)))
