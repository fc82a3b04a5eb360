import pytest

from context_strategies.summarizers import Extractive, SummarizerError, Summary, SummaryRequest
from context_strategies.summarizers.remembered import RECORDED, Remembered


def request(last_turn: int) -> SummaryRequest:
    return SummaryRequest("Fix it.", "", (), 1, last_turn)


def test_what_is_known_is_not_asked_for() -> None:
    remembered = Remembered(Extractive(), {6: "Known."})
    assert remembered.name == "extractive"
    assert remembered(request(6)) == Summary("Known.", RECORDED)
    assert remembered(request(9)).by == "extractive"


def test_a_summary_that_a_later_one_has_replaced_is_not_made_again() -> None:
    remembered = Remembered(Extractive(), {6: "Later."})
    with pytest.raises(SummarizerError, match="a later summary has replaced it"):
        remembered(request(3))
