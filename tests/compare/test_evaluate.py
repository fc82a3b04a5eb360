import pytest

from context_strategies.compare.evaluate import Market

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
