"""Intervals, tests and effects against figures by hand, against scipy's own, and as properties."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from context_strategies.compare.statistics import (
    EXACT,
    Resampling,
    detectable,
    holm,
    mcnemar,
    mean_interval,
    odds_ratio,
    rank_biserial,
    sign_flips,
)

QUICK = Resampling(resamples=300)
NUMBERS = st.floats(-100, 100, allow_nan=False).map(lambda x: round(x, 3))
DIFFERENCES = st.lists(NUMBERS, min_size=1, max_size=30)
PROBABILITIES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_the_binomial_by_hand(gained: int, lost: int) -> None:
    n = gained + lost
    tail = sum(comb(n, k) for k in range(min(gained, lost) + 1)) / 2**n
    assert mcnemar(gained, lost) == pytest.approx(min(1.0, 2 * tail) if gained != lost else 1.0)
    assert mcnemar(gained, lost) == pytest.approx(mcnemar(lost, gained))


@given(DIFFERENCES)
def test_a_p_of_sign_flips_is_never_zero_and_does_not_know_which_side_is_which(differences: list[float]) -> None:
    p = sign_flips(differences, QUICK)
    assert 0 < p <= 1
    opposite = sign_flips([-one for one in differences], QUICK)
    assert p == pytest.approx(opposite)


@given(DIFFERENCES, st.integers(0, 5))
def test_pairs_that_do_not_differ_change_no_test(differences: list[float], equal: int) -> None:
    more = differences + [0.0] * equal
    assert sign_flips(more, QUICK) == sign_flips(differences, QUICK)
    assert rank_biserial(more) == rank_biserial(differences)


@given(st.lists(NUMBERS.filter(bool), min_size=2, max_size=EXACT - 3))
def test_few_differences_are_tested_exactly_as_scipy_does(differences: list[float]) -> None:
    theirs = stats.permutation_test(
        (np.array(differences),), np.mean, permutation_type="samples", n_resamples=2**EXACT
    ).pvalue
    assert sign_flips(differences, QUICK) == pytest.approx(theirs)


def test_many_differences_are_tested_as_scipy_does() -> None:
    differences = np.random.default_rng(5).normal(0.2, 1, 80)
    theirs = stats.permutation_test((differences,), np.mean, permutation_type="samples", rng=7).pvalue
    assert sign_flips(list(differences), Resampling()) == pytest.approx(theirs, abs=0.01)


@given(st.permutations(range(EXACT)))
def test_the_order_of_pairs_changes_no_exact_test(order: list[int]) -> None:
    differences = [0.3, -1.0, 2.5, 0.1, -0.2, 4.0, -3.0, 0.7, 0.9, -0.4, 1.1, 0.6, -0.8]
    assert sign_flips([differences[index] for index in order], QUICK) == sign_flips(differences, QUICK)


@given(PROBABILITIES)
def test_holm_is_monotone_and_never_less_than_p(ps: list[float]) -> None:
    adjusted = holm(ps)
    assert all(p <= after <= 1 for p, after in zip(ps, adjusted, strict=True))
    assert adjusted[ps.index(min(ps))] == pytest.approx(min(1.0, len(ps) * min(ps)))
    order = sorted(range(len(ps)), key=lambda index: ps[index])
    assert [adjusted[index] for index in order] == sorted(adjusted)


@given(PROBABILITIES, st.randoms())
def test_holm_follows_its_ps(ps: list[float], random: np.random.Generator) -> None:
    order = list(range(len(ps)))
    random.shuffle(order)
    assert holm([ps[index] for index in order]) == pytest.approx([holm(ps)[index] for index in order])


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(st.lists(NUMBERS, min_size=2, max_size=40), st.integers(0, 10))
def test_an_interval_is_the_seeds_and_lies_within_the_values(values: list[float], seed: int) -> None:
    how = Resampling(200, seed)
    interval = mean_interval(values, how)
    assert interval is not None
    assert interval == mean_interval(values, how)
    assert min(values) - 1e-9 <= interval.low <= interval.high <= max(values) + 1e-9


def test_an_interval_covers_the_mean_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    intervals = [mean_interval(list(rng.exponential(1, 60)), QUICK) for _ in range(200)]
    covered = sum(one is not None and one.low <= 1 <= one.high for one in intervals)
    assert 0.86 < covered / 200 < 0.99


def test_one_value_has_no_interval() -> None:
    assert mean_interval([3.0], QUICK) is None
    assert detectable([3.0]) is None


@given(DIFFERENCES)
def test_rank_biserial_lies_between_one_and_minus_one(differences: list[float]) -> None:
    effect = rank_biserial(differences)
    assert -1 <= effect <= 1
    assert rank_biserial([-one for one in differences]) == pytest.approx(-effect)


def test_effects_by_hand() -> None:
    assert rank_biserial([1, 2, 3]) == 1
    assert rank_biserial([1, -2, 3]) == pytest.approx((1 + 3 - 2) / 6)
    assert rank_biserial([0, 0]) == 0
    assert odds_ratio(5, 5) == 1
    assert odds_ratio(3, 0) == 7
    assert detectable([1.0, -1.0] * 50) == pytest.approx(2.8 * np.sqrt(100 / 99) / 10)


def test_what_is_said_to_be_detectable_is_found_in_four_of_five_repetitions() -> None:
    rng = np.random.default_rng(3)
    shift = detectable(list(rng.normal(0, 1, 4_000))) or 0.0
    found = [sign_flips(list(rng.normal(shift * np.sqrt(4_000 / 60), 1, 60)), QUICK) < 0.05 for _ in range(300)]
    assert 0.72 < np.mean(found) < 0.88
