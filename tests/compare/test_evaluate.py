import pytest

from context_strategies.compare.evaluate import Choice, Market, evaluate
from context_strategies.replay import Weighed, replay
from context_strategies.strategies import choose
from context_strategies.summarizers import Extractive, Summary, SummaryRequest
from context_strategies.terms import terms_for

OWN = {"gpt-own": {"input_cost_per_token": 1e-6, "output_cost_per_token": 5e-6}}


def test_what_a_model_may_be_called_is_suggested(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "gpt-own" in Market("gpt-owm", own=OWN).suggestion()
    assert Market("zzzzzzzzzzzz", own=OWN).suggestion() == "Give --prices FILE for your own."
    monkeypatch.setattr("context_strategies.compare.evaluate.known_models", lambda _own: [])
    assert "pip install 'context-strategies[litellm]'" in Market("gpt-5").suggestion()


def test_the_cache_follows_the_prices_unless_it_is_chosen() -> None:
    market = Market("gpt-own", own=OWN)
    prices = market.prices_of("gpt-own")
    assert market.cache_name(prices) == "prefix"
    assert Market("gpt-own", "none", OWN).cache_name(prices) == "none"


class Counted:
    """The extractive digest, and how often it was asked."""

    name = "counted"

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, request: SummaryRequest) -> Summary:
        self.asked += 1
        return Extractive()(request)


@pytest.mark.parametrize(
    "spec", ["raw", "masking:window=2,refresh=1", "masking:window=1", "llm_summary:every=3,window=2"]
)
def test_hosts_marks_cost_what_a_replay_with_them_costs_and_no_replay(synthetic_run: Weighed, spec: str) -> None:
    market, choice, both, alone = Market(cache="marked"), Choice(spec, choose(spec)), Counted(), Counted()
    prices = market.prices(synthetic_run.trajectory)
    (result,) = evaluate(synthetic_run, [choice], market, both)
    meter = market.meter(prices, settled=False)
    expected = replay(synthetic_run, choice.strategy, terms_for(choice.strategy, prices), meter, author=alone)
    assert result.host_marks == expected.cost
    assert both.asked == alone.asked
    (unmarked,) = evaluate(synthetic_run, [choice], Market(cache="prefix"))
    assert unmarked.host_marks is None
