"""Amounts of money: read from the spellings that banks use, and written in one."""

import re
from decimal import Decimal, InvalidOperation

from ledger.errors import LedgerError

CURRENCIES = ("CHF", "EUR", "GBP", "USD")
DEFAULT_CURRENCY = "EUR"

CODE = re.compile(r"^(?P<before>[A-Z]{3})?\s*(?P<number>[-+]?[\d.,' ]+)\s*(?P<after>[A-Z]{3})?$")


def parse_amount(text: str, row: int | None = None) -> tuple[Decimal, str]:
    """The number and the currency code of an amount such as ``EUR 1,234.50``.

    Raises LedgerError E101 for anything else.
    """
    match = CODE.match(text.strip())
    if not match:
        raise LedgerError("E101", f"cannot read the amount {text!r}", row)
    currency = match["before"] or match["after"] or DEFAULT_CURRENCY
    if currency not in CURRENCIES:
        raise LedgerError("E101", f"unknown currency {currency!r}", row)
    try:
        return Decimal(_normalised(match["number"])), currency
    except InvalidOperation:
        raise LedgerError("E101", f"cannot read the amount {text!r}", row) from None


def _normalised(number: str) -> str:
    """The number with a point for the decimals and nothing between the thousands."""
    bare = number.replace(" ", "").replace("'", "")
    return bare.replace(",", "")


def format_amount(amount: Decimal, currency: str = DEFAULT_CURRENCY) -> str:
    """The amount with two decimals, a comma between thousands, and its currency behind.

    Half a cent is rounded away from zero, as on an invoice.
    """
    return f"{float(amount):,.2f} {currency}"
