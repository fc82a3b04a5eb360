"""A run that is stopped and resumed shows the model the same bytes."""

from context_strategies.testing import fail, say
from openhands_v0_runs import BIG, FINISH, OpenHands, shown

STOP = fail(401)
"""An error that ends a run; the session can be taken up again."""

SUMMARY = '[condenser]\ntype = "hybrid"\nwindow = 2\nevery = 6\nrefresh = 1'
RAW = '[condenser]\ntype = "raw"'


def test_masks_and_summary_are_the_same(openhands: OpenHands) -> None:
    first = openhands.run(SUMMARY, [*BIG[:12], STOP], summaries=[say("Before the stop.")])
    assert first.end == "error"
    assert len(first.summaries) == 1
    second = openhands.run(SUMMARY, [*BIG[12:14], FINISH], summaries=[say("Made anew.")])
    assert second.end == "finished"
    assert second.summaries == []
    stopped, resumed = shown(first.log[-1]), shown(second.requests[0])
    assert resumed[: len(stopped)] == stopped
    assert any("Before the stop." in text for _, text in stopped)
    assert sum("hidden" in text for _, text in stopped) == 4


def test_what_a_refusal_has_hidden_stays_hidden(openhands: OpenHands) -> None:
    first = openhands.run(RAW, [*BIG[:14], STOP], max_characters=50_000)
    assert any(record.status == 400 for record in first.log)
    second = openhands.run(RAW, [FINISH])
    assert second.end == "finished"
    stopped, resumed = shown(first.log[-1]), shown(second.requests[0])
    assert resumed[: len(stopped)] == stopped
    assert any("hidden" in text for _, text in stopped)
