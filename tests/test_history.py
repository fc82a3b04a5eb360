from dataclasses import replace

from context_strategies import History, Kind, Message
from context_strategies.history import IMAGE_TOKENS
from conversations import HEAD, action, conversation, output, turn


def test_turns_start_with_actions() -> None:
    history = History(conversation(3))
    assert [history.turn_of(index) for index in range(8)] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert [(history.start_of(n), history.end_of(n)) for n in range(4)] == [(0, 2), (2, 4), (4, 6), (6, 8)]
    assert (history.turns, history.start_of(4)) == (3, 8)


def test_a_history_may_be_empty_or_start_with_an_action() -> None:
    assert (History().turns, len(History()), History().tokens()) == (0, 0, 0)
    history = History(turn(1))
    assert (history.turn_of(0), history.start_of(0), history.end_of(0)) == (1, 0, 0)


def test_the_last_turn_is_complete_once_its_calls_are_answered() -> None:
    history = History([*conversation(1), action(2, "call_2b")])
    assert (history.turns, history.pending) == (1, True)
    history.extend([output(2)])
    assert (history.turns, history.pending) == (1, True)
    history.extend([output(2, call_id="call_2b")])
    assert (history.turns, history.pending) == (2, False)


def test_a_turn_without_calls_is_complete_once_something_answers() -> None:
    history = History([*HEAD, Message(Kind.ACTION, "I have no idea.")])
    assert history.turns == 0
    history.extend([Message(Kind.OBSERVATION, "Then try.")])
    assert history.turns == 1


def test_calls_without_answers_are_orphans_once_the_next_action_comes() -> None:
    history = History([*HEAD, action(1, "call_1b"), output(1)])
    assert history.orphans == set()
    history.extend(turn(2))
    assert history.orphans == {2, 3}, "the call, and the answer to its sibling"
    assert history.tokens(2, 4) == 0
    assert history.tokens() == sum(m.tokens for m in [*HEAD, *turn(2)])


def test_answers_to_no_open_call_are_orphans() -> None:
    stray = output(9)
    history = History([*HEAD, stray, action(1), output(1), output(1), stray])
    assert history.orphans == {2, 5, 6}
    assert history.turns == 1


def test_ids_may_be_used_again_in_later_turns() -> None:
    history = History([*HEAD, action(1), output(1), action(1), output(1)])
    assert (history.orphans, history.turns) == (set(), 2)


def test_what_is_not_sent_to_an_orphan_is_forgotten_by_the_memo() -> None:
    history = History([*HEAD, action(1, "call_1b"), output(1)])
    history.memo["anything"] = "made while the answer still counted"
    history.extend([action(2)])
    assert history.memo == {}


def test_what_is_sought_in_a_message_is_sought_once_and_is_no_part_of_it() -> None:
    sought: list[str] = []

    def words(text: str) -> int:
        sought.append(text)
        return len(text.split())

    message = Message(Kind.NOTE, "one two three")
    assert [message.find(words), message.find(words), message.find(str.upper)] == [3, 3, "ONE TWO THREE"]
    assert sought == ["one two three"]
    assert message == Message(Kind.NOTE, "one two three")
    assert replace(message, text="four").find(words) == 1


def test_the_users_task_is_found_up_to_a_message() -> None:
    history = History([*conversation(2), HEAD[1], *turn(3)])
    assert [history.tasks(stop) for stop in (1, 6, 9)] == [[], [HEAD[1]], [HEAD[1], HEAD[1]]]


def test_task_messages_are_found_by_range() -> None:
    history = History([*conversation(2), HEAD[1], *turn(3)])
    assert list(history.protected_in(0, 9)) == [0, 1, 6]
    assert list(history.protected_in(1, 6)) == [1]


def test_an_action_that_is_tied_moves_a_cut_to_where_nothing_is() -> None:
    tied = Message(Kind.ACTION, "thinking on", call_ids=("call_3",), tied=True)
    history = History([*conversation(2), tied, output(3), *turn(4)])
    assert [history.loose_end(n) for n in range(5)] == [0, 1, 1, 3, 4]


def test_sizes_count_images_and_what_the_host_no_longer_has() -> None:
    message = Message(Kind.OBSERVATION, "ab", images=2, gone=7)
    assert message.tokens == 1 + 2 * IMAGE_TOKENS + 7
    assert message == Message(Kind.OBSERVATION, "ab", images=2, gone=7)


def test_the_output_is_what_the_model_wrote_last() -> None:
    assert History(conversation(2)).output == action(2).tokens
    assert History(HEAD).output == 0
