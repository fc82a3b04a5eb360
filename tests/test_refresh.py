from dataclasses import replace

import pytest
from pydantic import TypeAdapter, ValidationError

from context_strategies.prices import Prices, Rates, relative
from context_strategies.refresh import MARGIN, Account, MinTokens, Offer, Refresh, decide

OFFER = Offer(prompt=20_000, save=6_000, prefix=2_000, raw=20_000, output=100)
"""Hiding 6,000 of 20,000 tokens, of which all but the first 2,000 are then read anew."""

WARM = Account(sent=20_000, raw_sent=20_000, spent=1.0, raw_spent=1.0)
CACHED, UNCACHED = relative(), relative().uncached()


def turns_until_move(account: Account, offer: Offer) -> int:
    for turn in range(1, 1_000):
        moves, account = decide(account, offer, CACHED)
        if moves:
            return turn
    return 0


def test_without_a_cache_discount_every_move_is_taken() -> None:
    moves, account = decide(Account(), OFFER, UNCACHED)
    assert moves
    assert (account.rent, account.sent, account.raw_sent) == (0.0, 14_000, 20_000)


def test_nothing_to_hide_is_no_move() -> None:
    moves, account = decide(WARM, replace(OFFER, save=0), UNCACHED)
    assert (moves, account.rent) == (False, 0.0)


def test_with_a_cache_a_move_waits_until_the_rent_covers_its_price() -> None:
    stay = CACHED.request(20_000, 20_000)
    move = CACHED.request(14_000, 2_000)
    rent = CACHED.request(20_000, 20_000) - CACHED.request(14_000, 14_000)
    due = MARGIN * (move - stay) / rent
    assert due - 1 < turns_until_move(WARM, OFFER) <= due + 1


def test_a_cold_cache_makes_moving_free() -> None:
    assert decide(replace(WARM, sent=0), OFFER, CACHED)[0], "all is read anew, whether it moves or not"


def test_a_move_is_put_off_while_it_could_leave_the_run_dearer_than_raw() -> None:
    young = replace(WARM, rent=1.0, spent=0.001, raw_spent=0.001)
    old = replace(WARM, rent=1.0)
    assert not decide(young, OFFER, CACHED)[0]
    assert decide(old, OFFER, CACHED)[0]


def test_a_fee_is_part_of_the_price() -> None:
    assert decide(Account(), OFFER, UNCACHED)[0]
    assert not decide(Account(), replace(OFFER, fee=1.0), UNCACHED)[0]


def test_both_agents_pay_for_what_was_written() -> None:
    _, account = decide(Account(), replace(OFFER, save=0), UNCACHED)
    assert account.spent == account.raw_spent == pytest.approx(UNCACHED.request(20_000, 0) + 100 * 5e-6)


def test_a_move_settles_the_account_at_what_both_agents_then_cost() -> None:
    ready = replace(WARM, rent=1.0)
    moves, account = decide(ready, OFFER, CACHED)
    written = 100 * 5e-6
    assert moves
    assert account.spent == pytest.approx(1.0 + written + CACHED.request(14_000, 2_000))
    assert account.raw_spent == pytest.approx(1.0 + written + CACHED.request(20_000, 20_000))


def test_rent_is_what_hiding_would_have_saved_of_this_request_alone() -> None:
    _, warm = decide(WARM, OFFER, CACHED)
    assert warm.rent == pytest.approx(CACHED.request(20_000, 20_000) - CACHED.request(14_000, 14_000))
    _, half = decide(replace(WARM, sent=15_000), OFFER, CACHED)
    assert half.rent == pytest.approx(CACHED.request(20_000, 15_000) - CACHED.request(14_000, 9_000))
    _, cold = decide(replace(WARM, sent=3_000), replace(OFFER, fee=9.0), CACHED)
    assert cold.rent == pytest.approx(CACHED.request(20_000, 6_000) - CACHED.request(14_000, 0))


# Prices of whole dollars, so that both sides of each comparison can be met exactly.
WHOLE = Prices("whole", ((0, Rates(4.0, 0.0, 1.0, 4.0)),))


def test_a_move_at_the_price_of_staying_is_taken_however_dear_the_run() -> None:
    # 100 from the cache, or 25 read anew.
    dear = Account(sent=100, spent=1_000)
    assert decide(dear, Offer(prompt=100, save=75, prefix=0, raw=100, output=0), WHOLE)[0]


def test_rent_is_paid_at_the_tiers_of_both_requests() -> None:
    tiered = Prices("tiered", ((0, Rates(4, 0, 1, 4)), (50, Rates(8, 0, 2, 8))))
    offer = Offer(prompt=60, save=20, prefix=0, raw=60, output=0, fee=1_000)
    _, warm = decide(Account(sent=60), offer, tiered)
    assert warm.rent == 60 * 2 - 40 * 1
    _, cold = decide(Account(sent=10), offer, tiered)
    assert cold.rent == (20 * 2 + 40 * 8) - 40 * 4


def test_one_token_is_worth_hiding_where_it_costs_nothing() -> None:
    one = Offer(prompt=100, save=1, prefix=0, raw=100, output=0)
    assert decide(Account(), one, WHOLE)[0]
    assert decide(Account(sent=100), replace(one, fee=9.0), WHOLE)[1].rent == 1


@pytest.mark.parametrize(("rent", "moves"), [(75.0, True), (74.0, False)])
def test_the_rent_must_reach_the_price_times_the_margin(rent: float, moves: bool) -> None:
    # Moving costs 50 * 4 + 50 * 0 = 200 against 100; this turn's rent is 50, and 125 are due.
    account = Account(rent=rent, sent=100, raw_sent=100, spent=1_000, raw_spent=10_000)
    offer = Offer(prompt=100, save=50, prefix=0, raw=100, output=0)
    assert MARGIN * (WHOLE.request(50, 0) - WHOLE.request(100, 100)) == 125
    assert decide(account, offer, WHOLE)[0] is moves


@pytest.mark.parametrize(("spent", "moves"), [(900, True), (901, False)])
def test_a_run_may_become_dearer_than_raw_by_the_regret_and_no_more(spent: float, moves: bool) -> None:
    # With this move it has cost spent + 200, the raw agent 780 + 100.
    account = Account(rent=1_000, sent=100, raw_sent=100, spent=spent, raw_spent=780)
    offer = Offer(prompt=100, save=50, prefix=0, raw=100, output=0)
    assert decide(account, offer, WHOLE, regret=0.25)[0] is moves


def test_what_is_written_is_billed_at_the_tier_of_the_raw_request() -> None:
    tiered = Prices("tiered", ((0, Rates(1, 1, 1, 1)), (50, Rates(1, 7, 1, 1))))
    _, account = decide(Account(), Offer(prompt=10, save=0, prefix=0, raw=51, output=2), tiered)
    assert account.spent == 10 + 2 * 7


def test_a_setting_is_a_number_of_turns_or_of_tokens_or_break_even() -> None:
    setting: TypeAdapter[object] = TypeAdapter(Refresh)
    assert setting.validate_python(3) == 3
    assert setting.validate_python("break_even") == "break_even"
    assert setting.validate_python({"min_tokens": 9}) == MinTokens(min_tokens=9)
    for wrong in (0, -1, "daily", {"min_tokens": 0}, {"tokens": 9}, None):
        with pytest.raises(ValidationError):
            setting.validate_python(wrong)
