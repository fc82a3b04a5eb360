"""What goes wrong on our side never ends a run."""

import pytest

from openhands_v0_runs import BIG, FINISH, OpenHands, shown

MASKING = '[condenser]\ntype = "masking"\nwindow = 2\nrefresh = 1'


def test_an_error_of_ours_shows_the_whole_history(openhands: OpenHands, monkeypatch: pytest.MonkeyPatch) -> None:
    openhands.load(MASKING)
    from openhands_plugin.v0.conversation import Conversation

    def broken(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(Conversation, "follow", broken)
    ours = openhands.run(MASKING, [*BIG[:5], FINISH])
    assert ours.end == "finished"
    assert not any("hidden" in text for _, text in shown(ours.requests[-1]))


def test_events_that_cannot_be_written_are_not_missed(openhands: OpenHands) -> None:
    (openhands.folder / "run.context.jsonl").mkdir()
    ours = openhands.run(MASKING, [*BIG[:5], FINISH])
    assert ours.end == "finished"
    assert sum("hidden" in text for _, text in shown(ours.requests[-1])) == 3


def test_the_users_own_words_are_never_hidden(openhands: OpenHands) -> None:
    from context_strategies.testing import say

    condenser = '[condenser]\ntype = "rolling_summary"\nsummarizer = "extractive"'
    ours = openhands.run(condenser, [*BIG[:3], say("Which one?"), *BIG[3:14], FINISH])
    assert ours.end == "finished"
    last = [text for _, text in shown(ours.requests[-1])]
    assert any(text.strip().startswith("[Summary of turns") for text in last)
    assert any("Please continue on whatever approach" in text for text in last)


def test_openhands_own_summarizer_behind_ours_makes_progress(openhands: OpenHands) -> None:
    pipeline = """
        [condenser]
        type = "pipeline"
        condensers = [{type = "masking", window = 2, refresh = 1}, {type = "amortized", max_size = 20, keep_first = 4}]
    """
    ours = openhands.run(pipeline, [*BIG, FINISH])
    assert ours.end == "finished"
    assert len(ours.requests) == 26
