"""Requests to condense: a context that is too long for the model is made shorter, and the run goes on."""

import pytest

from context_strategies.testing import call
from openhands_v0_runs import BIG, FINISH, OpenHands, Run, shown

BIG_LIMIT = 50_000


def refused(run: Run) -> int:
    return sum(record.status == 400 for record in run.log)


@pytest.mark.parametrize("strategy", ["masking", "raw", "hybrid"])
def test_a_run_that_exceeds_the_model_finishes(openhands: OpenHands, strategy: str) -> None:
    ours = openhands.run(f'[condenser]\ntype = "{strategy}"', [*BIG, FINISH], max_characters=BIG_LIMIT)
    assert ours.end == "finished"
    assert len(ours.requests) == 26
    assert 1 <= refused(ours) <= 4


def test_the_built_in_masking_asks_until_its_iterations_are_gone(openhands: OpenHands) -> None:
    condenser = '[condenser]\ntype = "observation_masking"\nattention_window = 40'
    theirs = openhands.run(condenser, [*BIG, FINISH], max_characters=BIG_LIMIT)
    assert theirs.end == "error"
    assert "maximum iteration" in theirs.state.last_error
    assert refused(theirs) > 45


def test_a_known_limit_is_never_exceeded(openhands: OpenHands) -> None:
    limit = "max_input_tokens = 13000"  # 13,000 tokens of four characters are what the server takes
    ours = openhands.run('[condenser]\ntype = "masking"', [*BIG, FINISH], llm=limit, max_characters=52_000)
    assert ours.end == "finished"
    assert refused(ours) == 0
    assert any("tightened" in event.get("reason", "") for event in ours.events)


def test_the_agent_may_ask_itself(openhands: OpenHands) -> None:
    script = [*BIG[:8], call("request_condensation", message="Too much."), *BIG[8:10], FINISH]
    ours = openhands.run('[condenser]\ntype = "masking"', script, agent="enable_condensation_request = true")
    assert ours.end == "finished"
    before, after = ours.requests[8], ours.requests[9]
    assert not any("hidden" in text for _, text in shown(before))
    assert sum("hidden" in text for _, text in shown(after)) >= 4


def test_what_cannot_be_made_shorter_ends_the_run_and_says_why(openhands: OpenHands) -> None:
    ours = openhands.run('[condenser]\ntype = "masking"', [*BIG, FINISH], max_characters=6_000)
    assert ours.end == "error"
    assert "exceed the model's limit" in ours.state.last_error
    assert len(ours.log) < 5
