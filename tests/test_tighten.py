import pytest

from context_strategies import Context, History, Keep, Kind, Mask, Message, Session, Summarize, Terms, build, choose
from context_strategies.placeholder import Placeholder
from context_strategies.tighten import FLOOR, Tight, overlay, tighten
from context_strategies.tokens import estimate
from conversations import HEAD, action, conversation, masked, output, play, summaries, turn


def raw(turns: int) -> Context:
    history = History(conversation(turns))
    return build(history, [Keep(0, len(history))])


def test_what_fits_is_left_alone() -> None:
    context = raw(10)
    assert tighten(Tight(), context, context.tokens) == Tight()
    assert overlay(Tight(), context) is context


def test_first_the_turns_shown_verbatim_are_halved() -> None:
    context = raw(8)
    tight = tighten(Tight(), context, context.tokens - 1)
    assert tight == Tight(boundary=4)
    assert masked(overlay(tight, context)) == [1, 2, 3, 4]
    assert tighten(tight, context, overlay(tight, context).tokens - 1) == Tight(boundary=6)


def test_then_a_digest_stands_for_all_but_the_last_turn() -> None:
    context = raw(30)
    least = overlay(Tight(boundary=29), context).tokens
    tight = tighten(Tight(), context, least - 1)
    tightened = overlay(tight, context)
    assert (tight.boundary, tight.folded) == (29, 29)
    assert tightened.tokens < least
    (digest,) = summaries(tightened)
    assert digest.startswith("[Summary of turns 1 to 29, which are no longer shown]\nDigest of turns 1 to 29")
    assert [part.place for part in tightened] == [0, 1, None, 60, 61]


def test_then_the_last_outputs_are_cut_the_longest_first() -> None:
    long, short = output(1, "long line\n" * 2_000), output(1, "short line\n" * 40, call_id="call_1b")
    history = History([*HEAD, action(1, "call_1b"), long, short])
    context = build(history, [Keep(0, 5)])
    tightened = overlay(tighten(Tight(), context, 1_000), context)
    cut = [part.text for part in tightened]
    assert tightened.tokens <= 1_000
    assert estimate(cut[3] or "") > 700
    assert cut[4] is None
    least = overlay(tighten(Tight(), context, 1), context)
    assert [estimate(part.text or "") <= FLOOR for part in least][3:] == [True, True]


def test_no_digest_where_there_is_no_room_for_one() -> None:
    context = raw(20)
    floor = sum(m.tokens for m in [*HEAD, action(20)]) + FLOOR
    tightened = overlay(tighten(Tight(), context, floor), context)
    assert tightened.tokens <= floor
    assert [part.place for part in tightened] == [0, 1, 40, 41]


def test_a_digest_never_weighs_more_than_what_it_replaces() -> None:
    history = History([*HEAD, *(m for n in range(1, 5) for m in (action(n), output(n, "ok"))), action(5), output(5)])
    context = build(history, [Keep(0, len(history))])
    tight = tighten(Tight(), context, context.tokens - 10)
    assert overlay(tight, context).tokens <= context.tokens - 10
    assert overlay(tight, context).corrections == ()


def test_a_strategys_own_summary_of_more_turns_takes_the_digests_place() -> None:
    history = History(conversation(4))
    context = build(history, [Keep(0, 2), Summarize(2, 8, "Three turns."), Keep(8, 10)])
    for folded, summary in ((2, "Three turns."), (3, "[Summary of turns 1 to 3, which are no longer shown]\nDigest.")):
        assert summaries(overlay(Tight(folded=folded, digest="Digest."), context)) == [summary]


def test_placeholders_keep_their_bytes_when_the_strategys_boundary_comes_along() -> None:
    spec = {"type": "masking", "window": 6, "refresh": 1, "placeholder": "[{lines} lines]", "max_tokens": 1_500}
    session = Session(choose(spec), Terms(limit=1_500))
    texts: dict[int | None, str] = {}

    def check(_number: int, context: Context) -> None:
        for part in context:
            if part.place is not None and part.text is not None:
                assert texts.setdefault(part.place, part.text) == part.text == "[40 lines]"

    play(session, 14, check)
    assert session.tight.boundary > 0


def test_tags_do_not_stand_in_the_way_of_a_limit() -> None:
    session = Session(choose("masking:window=2,max_tokens=700"), Terms(limit=700))
    kept = output(1, tags=frozenset({"keep_output"}))
    session.feed([*HEAD, action(1), kept, *turn(2), *turn(3)])
    assert masked(session.context()) == [1, 2]


def test_the_limit_holds_at_every_turn_of_a_long_run() -> None:
    def check(_number: int, context: Context) -> None:
        assert context.tokens <= 1_000

    for spec in ("masking", "truncation", "llm_summary", "rolling_summary", "hybrid"):
        play(Session(choose(spec), Terms(limit=1_000)), 60, check)


def test_turns_that_are_tied_to_the_last_one_are_masked_but_not_folded() -> None:
    tied = Message(Kind.ACTION, "thinking on", call_ids=("call_4",), tied=True)
    history = History([*conversation(3), tied, output(4)])
    context = build(history, [Keep(0, len(history))])
    tight = tighten(Tight(), context, 300)
    assert tight.folded == 2
    assert [part.place for part in overlay(tight, context) if part.place is not None] == [0, 1, 6, 7, 8, 9]


def test_what_was_cut_stays_so_where_a_placeholder_would_be_longer() -> None:
    seen = Message(Kind.OBSERVATION, "", call_ids=("call_1",), images=1)
    session = Session(choose("masking:window=1,refresh=1"), Terms(limit=200))
    session.feed([*HEAD, action(1), seen])
    cut = [part.text for part in session.context()][3]
    assert cut == "\n[1 image left out: the context was full]"
    session.feed([action(2), output(2, "ok"), action(3), output(3, "ok")])
    assert [part.text for part in session.context()][3] == cut


@pytest.mark.parametrize("first", ["x" * 2_000, "[gone]"])
def test_a_strategys_own_placeholder_is_used_where_it_saves(first: str) -> None:
    history = History(conversation(3))
    shown = build(history, [Keep(0, 2), Mask(2, len(history), Placeholder(first))])
    texts = [part.text for part in overlay(Tight(boundary=2), shown) if part.text]
    assert [text == "[gone]" for text in texts[:2]] == [first == "[gone]"] * 2
    assert len(texts) == 3 - (len(first) > 10)


def test_of_a_placeholder_and_a_cut_the_shorter_is_shown() -> None:
    history = History([*conversation(1), action(2), output(2, "long line\n" * 500)])
    for placeholder in ("[gone]", "x" * 3_000):
        shown = build(history, [Keep(0, 2), Mask(2, len(history), Placeholder(placeholder))])
        clipped = [part.text for part in overlay(Tight(clips=((2, 200),)), shown)][-1] or ""
        assert ("cut" in clipped, clipped == "[gone]") == (placeholder != "[gone]", placeholder == "[gone]")


def test_a_long_run_at_its_limit_knows_few_cuts() -> None:
    session = Session(choose("raw"), Terms(limit=900))
    for n in range(1, 61):
        session.feed([action(n), output(n, "a line of output\n" * (200 + 37 * n))])
        assert session.context().tokens <= 900
    assert len(session.history.memo) < 20
