"""Amounts."""

from decimal import Decimal

import pytest
from ledger.errors import LedgerError
from ledger.money import format_amount, parse_amount


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("12", "12", "EUR"),
        ("1234.5", "1234.5", "EUR"),
        ("1,234.50", "1234.50", "EUR"),
        ("1.234,50", "1234.50", "EUR"),
        ("USD 1,000", "1000", "USD"),
        ("12,50 CHF", "12.50", "CHF"),
        ("-3.99 GBP", "-3.99", "GBP"),
        ("1'200.00 CHF", "1200.00", "CHF"),
    ],
)
def test_spellings(text: str, amount: str, currency: str) -> None:
    """Every bank's spelling gives the same number."""
    assert parse_amount(text) == (Decimal(amount), currency)


@pytest.mark.parametrize("text", ["", "abc", "12 XYZ", "1.2.3,4,5"])
def test_unreadable(text: str) -> None:
    """Anything else is an error with a code."""
    with pytest.raises(LedgerError) as caught:
        parse_amount(text, row=7)
    assert caught.value.code == "E101"
    assert "row 7" in str(caught.value)


@pytest.mark.parametrize(
    ("amount", "text"),
    [("0", "0.00 EUR"), ("1234.5", "1,234.50 EUR"), ("2.675", "2.68 EUR"), ("-2.675", "-2.68 EUR")],
)
def test_format(amount: str, text: str) -> None:
    """Half a cent goes away from zero."""
    assert format_amount(Decimal(amount)) == text
