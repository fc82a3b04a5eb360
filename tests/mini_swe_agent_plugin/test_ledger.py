from typing import Any

import pytest

from context_strategies.prices import Usage
from context_strategies.summarizers import Summary, SummaryRequest
from mini_swe_agent_plugin.ledger import Ledger


class Counting:
    name = "counting"

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, request: SummaryRequest) -> Summary:
        self.asked += 1
        return Summary(f"Summary {self.asked}.", self.name, Usage(90, output=9))


def request(last_turn: int) -> SummaryRequest:
    return SummaryRequest("Fix it.", "", (), 1, last_turn)


def test_a_summary_is_noted_in_the_next_message_and_read_back_from_it() -> None:
    ledger = Ledger(Counting())
    ledger(request(3))
    ledger.charge(0.25)
    reply = {"role": "assistant", "extra": {"cost": 1.0, "timestamp": 7}}
    settled = ledger.settle(reply)
    used = {"prompt": 90, "cached": 0, "written": 0, "output": 9}
    note = {"summaries": {"3": "Summary 1."}, "summary_cost": 0.25, "summary_usage": [used]}
    assert settled == {"role": "assistant", "extra": {"cost": 1.25, "timestamp": 7, "context": note}}
    assert reply["extra"] == {"cost": 1.0, "timestamp": 7}
    assert ledger.settle(reply) is reply

    later = Ledger(Counting())
    for item in ({"role": "user"}, settled):
        later.recall(item)
    assert later.known == {3: "Summary 1."}
    assert later(request(6)).text == "Summary 1."
    assert later.told == {6: "Summary 1."}


def test_what_is_owed_waits_for_a_message_without_an_extra() -> None:
    ledger = Ledger(Counting())
    ledger.charge(0.5)
    assert ledger.settle({"role": "assistant"})["extra"]["cost"] == 0.5


@pytest.mark.parametrize(
    "extra",
    [None, 7, {"context": []}, {"context": {"summaries": ["x"]}}, {"context": {"summaries": {"x": 1, "²": ""}}}],
)
def test_an_odd_note_is_no_summary(extra: Any) -> None:
    ledger = Ledger(Counting())
    ledger.recall({"role": "assistant", "extra": extra})
    assert not ledger.known
