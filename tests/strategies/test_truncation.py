from context_strategies import Context, Session, choose
from conversations import HEAD, action, conversation, output, play, whole

TURN = action(1).tokens + output(1).tokens


def test_only_the_newest_whole_turns_that_fit_stay() -> None:
    def check(number: int, context: Context) -> None:
        assert whole(context) == list(range(max(number - 2, 1), number + 1))

    play(Session(choose(f"truncation:keep_tokens={3 * TURN + TURN // 2}")), 9, check)


def test_the_newest_turn_and_the_task_stay_whatever_their_size() -> None:
    session = play(Session(choose("truncation:keep_tokens=1")), 3)
    assert [part.place for part in session.context()] == [0, 1, 6, 7]


def test_nothing_comes_back_when_later_turns_are_shorter() -> None:
    session = Session(choose(f"truncation:keep_tokens={2 * TURN}"))
    session.feed([*conversation(3), action(4), output(4, "a\n" * 5_000)])
    assert whole(session.context()) == [4]
    session.feed([action(5), output(5, "ok")])
    assert whole(session.context()) == [5]


def test_a_word_of_the_user_outlives_the_turn_it_came_in() -> None:
    word = HEAD[1]
    session = Session(choose("truncation:keep_tokens=1"))
    session.feed([*conversation(1), word, action(2), output(2), action(3), output(3)])
    assert [part.place for part in session.context()] == [0, 1, 4, 7, 8]
