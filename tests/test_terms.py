from dataclasses import replace

import pytest

from context_strategies import choose
from context_strategies.prices import relative
from context_strategies.terms import AUTO_SHARE, Terms, terms_for

PRICES = replace(relative(), limit=100_000)


@pytest.mark.parametrize(
    ("spec", "limit"),
    [
        ("masking", int(100_000 * AUTO_SHARE)),
        ("masking:max_tokens=500", 500),
        ("masking:max_tokens=null", 0),
        ("raw", 0),
    ],
)
def test_the_limit_is_the_models_less_a_reserve_or_the_users_own(spec: str, limit: int) -> None:
    assert terms_for(choose(spec), PRICES).limit == limit


def test_a_model_of_unknown_limit_has_none() -> None:
    assert terms_for(choose("masking"), relative()).limit == 0


@pytest.mark.parametrize(
    ("cache", "run", "discount"),
    [("auto", True, True), ("auto", False, False), ("on", False, True), ("off", True, False)],
)
def test_the_cache_is_what_the_run_has_unless_it_is_set(cache: str, run: bool, discount: bool) -> None:
    prices = terms_for(choose({"type": "masking", "cache": cache}), PRICES, cached=run).prices
    assert (prices.request(1_000, 1_000) < prices.request(1_000, 0)) == discount


def test_terms_without_anything_known_are_relative_prices_and_no_limit() -> None:
    assert Terms() == Terms(relative(), 0)
