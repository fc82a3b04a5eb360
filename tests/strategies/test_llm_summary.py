from context_strategies import Context, Kind, Message, Session, Terms, choose
from context_strategies.prices import relative
from conversations import Scribe, conversation, output, play, summaries, turn, whole


def test_at_31_turns_the_oldest_21_become_one_running_summary() -> None:
    scribe = Scribe()

    def check(number: int, context: Context) -> None:
        assert len(scribe.asked) == (number >= 31) + (number >= 52)
        assert len(summaries(context)) == (number >= 31), "one summary, not one on the other"

    session = play(Session(choose("llm_summary"), summarizer=scribe), 60, check)
    first, second = scribe.asked
    assert (first.first_turn, first.last_turn, first.previous) == (1, 21, "")
    assert (second.first_turn, second.last_turn, second.previous) == (22, 42, "Summary number 1.")
    assert [message.text for message in first.messages[1::2]] == [m.text for m in conversation(21)[3::2]]
    assert summaries(session.context()) == ["[Summary of turns 1 to 42, which are no longer shown]\nSummary number 2."]
    assert whole(session.context()) == list(range(43, 61))


def test_the_summary_stands_between_the_task_and_the_turns() -> None:
    session = play(Session(choose("llm_summary:every=2,window=1"), summarizer=Scribe()), 4)
    assert [part.place for part in session.context()] == [0, 1, None, 6, 7, 8, 9]


def test_at_tokens_asks_as_soon_as_the_request_is_that_large() -> None:
    scribe = Scribe()
    sizes: list[int] = []
    session = Session(choose("llm_summary:at_tokens=2000,window=2"), summarizer=scribe)
    play(session, 10, lambda _number, context: sizes.append(context.tokens))
    assert scribe.asked[0].first_turn == 1
    assert scribe.asked[0].last_turn == scribe.asked[0].turn - 2
    assert max(sizes) < 2_000


def test_at_fraction_counts_in_shares_of_the_limit() -> None:
    scribe = Scribe()
    play(Session(choose("llm_summary:at_fraction=0.5,window=2"), Terms(limit=4_000), scribe), 7)
    by_tokens = Scribe()
    play(Session(choose("llm_summary:at_tokens=2000,window=2"), summarizer=by_tokens), 7)
    assert [request.turn for request in scribe.asked] == [request.turn for request in by_tokens.asked]


def test_break_even_waits_until_the_saving_pays_for_the_call() -> None:
    cheap, dear = Scribe(), Scribe()
    strategy = choose("llm_summary:every=break_even,window=2")
    play(Session(strategy, Terms(relative().uncached()), cheap), 40)
    play(Session(strategy, Terms(relative(output=500.0)), dear), 40)
    assert len(cheap.asked) > len(dear.asked)


def test_window_zero_folds_the_newest_turn_in_too() -> None:
    session = play(Session(choose("llm_summary:every=2,window=0"), summarizer=Scribe()), 6)
    assert [part.place for part in session.context()] == [0, 1, None]


def test_turns_that_are_tied_together_are_folded_together() -> None:
    tied = Message(Kind.ACTION, "thinking on", call_ids=("call_3",), tied=True)
    scribe = Scribe()
    session = Session(choose("llm_summary:every=2,window=1"), summarizer=scribe)
    session.feed([*conversation(2), tied, output(3), *turn(4), *turn(5)])
    assert [(request.first_turn, request.last_turn, request.turn) for request in scribe.asked] == [(1, 1, 3), (2, 3, 4)]
    assert whole(session.context()) == [4, 5]
