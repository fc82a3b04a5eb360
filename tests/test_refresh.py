from dataclasses import replace

import pytest
from pydantic import TypeAdapter, ValidationError

from context_strategies.prices import relative
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


def test_a_setting_is_a_number_of_turns_or_of_tokens_or_break_even() -> None:
    setting: TypeAdapter[object] = TypeAdapter(Refresh)
    assert setting.validate_python(3) == 3
    assert setting.validate_python("break_even") == "break_even"
    assert setting.validate_python({"min_tokens": 9}) == MinTokens(min_tokens=9)
    for wrong in (0, -1, "daily", {"min_tokens": 0}, {"tokens": 9}, None):
        with pytest.raises(ValidationError):
            setting.validate_python(wrong)
