"""One function prices a call."""

from dataclasses import astuple, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_strategies.prices import Prices, Rates, Usage, relative

TIERED = Prices("tiered", ((0, Rates(1, 5, 0.1, 1.25)), (100, Rates(2, 10, 0.2, 2.5))))


def test_each_kind_of_token_has_its_price() -> None:
    assert TIERED.price(Usage(prompt=100, cached=50, written=30, output=2)) == pytest.approx(20 + 5 + 37.5 + 10)


def test_a_tier_prices_every_token_of_a_call_above_it() -> None:
    assert TIERED.price(Usage(100)) == pytest.approx(100)
    assert TIERED.price(Usage(101, cached=1, output=1)) == pytest.approx(200 + 0.2 + 10)


def test_an_inclusive_tier_starts_at_its_threshold() -> None:
    inclusive = Prices("inclusive", TIERED.tiers, inclusive=True)
    assert inclusive.price(Usage(100)) == pytest.approx(200)


def test_what_is_not_cached_is_written_where_writing_has_a_price() -> None:
    assert relative(0.1, 1.25).usage(100, 40) == Usage(100, 40, 60)
    assert relative(0.1, 1.0).usage(100, 40) == Usage(100, 40, 0)


def test_whether_writing_has_a_price_is_the_tiers_to_say() -> None:
    tiered = Prices("tiered", ((0, Rates(1, 5, 0.1, 1)), (100, Rates(1, 5, 0.1, 1.25))))
    assert tiered.usage(100, 40) == Usage(100, 40, 0)
    assert tiered.usage(101, 40) == Usage(101, 40, 61)


def test_assumed_prices_say_so_and_are_ratios_of_a_dollar_a_million() -> None:
    assumed = relative()
    assert assumed.assumed
    assert assumed.model == "assumed (cache read 0.1, write 1.25, output 5 of the input price)"
    ((threshold, rates),) = assumed.tiers
    assert threshold == 0
    assert astuple(rates) == pytest.approx([1e-6, 5e-6, 1e-7, 1.25e-6])


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**5))
def test_without_a_cache_only_size_counts(prompt: int, cached: int, output: int) -> None:
    cached = min(cached, prompt)
    plain = relative().uncached()
    assert plain.price(plain.usage(prompt, cached, output)) == pytest.approx(
        relative().price(Usage(prompt, 0, 0, output))
    )


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_longer_cached_prefix_never_costs_more(prompt: int, cached: int) -> None:
    cached = min(cached, prompt)
    assert relative().request(prompt, cached) <= relative().request(prompt, 0) + 1e-12


def test_without_marks_a_provider_caches_by_itself_or_not_at_all() -> None:
    explicit, automatic = replace(relative(), explicit=True), relative()
    assert [explicit.caches(marks=marks) for marks in (True, False)] == [True, False]
    assert automatic.caches(marks=False)
