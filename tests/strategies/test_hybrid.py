from context_strategies import Context, Session, choose
from conversations import Scribe, conversation, masked, play, summaries, whole


def test_it_masks_now_and_summarizes_once_many_turns_have_piled_up() -> None:
    scribe = Scribe()

    def check(number: int, context: Context) -> None:
        folded = 6 if number >= 8 else 0
        folded = 12 if number >= 14 else folded
        assert masked(context) == list(range(folded + 1, number - 2 + 1))
        assert whole(context) == list(range(max(number - 1, 1), number + 1))
        assert len(summaries(context)) == (folded > 0)

    play(Session(choose("hybrid:window=2,every=6,refresh=1"), summarizer=scribe), 15, check)
    assert [(request.first_turn, request.last_turn) for request in scribe.asked] == [(1, 6), (7, 12)]


def test_the_summarizer_reads_the_turns_unmasked() -> None:
    scribe = Scribe()
    play(Session(choose("hybrid:window=1,every=3,refresh=1"), summarizer=scribe), 4)
    assert list(scribe.asked[0].messages) == conversation(3)[2:]


def test_a_summary_must_be_shorter_than_the_masked_turns_it_replaces() -> None:
    scribe = Scribe()
    play(Session(choose("hybrid:window=1,every=6,refresh=1"), summarizer=scribe), 7)
    shown = sum(message.tokens for message in conversation(6)[2:])
    assert scribe.asked[0].limit < shown / 4, "the limit is what the turns weigh as they are shown"
