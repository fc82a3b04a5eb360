from dataclasses import replace

from context_strategies import Context, Session, choose
from context_strategies.summarizers import Extractive
from conversations import HEAD, Scribe, action, output, play, summaries, whole


def test_every_four_turns_all_but_the_last_two_are_folded_in() -> None:
    scribe = Scribe()
    shown: dict[int, list[int]] = {}

    def check(number: int, context: Context) -> None:
        shown[number] = whole(context)

    play(Session(choose("rolling_summary"), summarizer=scribe), 12, check)
    assert [(r.first_turn, r.last_turn, r.turn) for r in scribe.asked] == [(1, 2, 4), (3, 6, 8), (7, 10, 12)]
    assert [r.previous for r in scribe.asked] == ["", "Summary number 1.", "Summary number 2."]
    assert shown[4] == [3, 4]
    assert shown[7] == [3, 4, 5, 6, 7]
    assert shown[8] == [7, 8]


def test_tagged_and_preserved_facts_are_kept_by_construction() -> None:
    session = Session(choose({"type": "rolling_summary", "preserve": [r"TICKET-\d+"]}), summarizer=Scribe())
    session.feed(HEAD)
    for number in range(1, 9):
        word = "I see <keep>port 8443</keep>." if number == 1 else ""
        text = f"line of {number}\n" * 60 + ("see TICKET-4711\n" if number == 2 else "")
        step = action(number)
        session.feed([replace(step, text=step.text + word), output(number, text)])
    (summary,) = summaries(session.context())
    assert "port 8443" in summary
    assert "TICKET-4711" in summary


def test_the_digest_serves_where_there_is_no_model() -> None:
    session = play(Session(choose("rolling_summary"), summarizer=Extractive()), 8)
    (summary,) = summaries(session.context())
    assert "Digest of turns 1 to 6" in summary
    assert "grep 6" in summary


def test_what_an_action_has_used_is_carried_along_until_others_need_the_room() -> None:
    session = Session(choose("rolling_summary"), summarizer=Scribe())
    session.feed(HEAD)
    for number in range(1, 13):
        step = action(number)
        uses = " It is in src/needle.py." if number == 3 else ""
        found = "src/needle.py src/hay.py\n" if number == 2 else ""
        session.feed([replace(step, text=step.text + uses), output(number, found + f"line of {number}\n" * 60)])
    (summary,) = summaries(session.context())
    assert summary.startswith("[Summary of turns 1 to 10")
    assert "src/needle.py" in summary
    assert "src/hay.py" not in summary
