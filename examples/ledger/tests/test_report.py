"""Reports."""

from datetime import date
from decimal import Decimal

from ledger.reader import Expense
from ledger.report import WIDTH, category_of, month_of, table, totals


def expense(day: str, amount: str, category: str = "food", currency: str = "EUR") -> Expense:
    """An expense that differs in what matters here."""
    return Expense(f"T-{day}-{amount}", date.fromisoformat(day), "Shop", category, Decimal(amount), currency)


def test_months_of_different_years_are_apart() -> None:
    """January 2023 is not January 2024."""
    sums = totals([expense("2023-01-10", "5"), expense("2024-01-10", "7")], month_of)
    assert sums == {"Jan 2023": Decimal(5), "Jan 2024": Decimal(7)}


def test_refunds_are_taken_off() -> None:
    """A refund is negative."""
    assert totals([expense("2024-01-10", "5"), expense("2024-01-11", "-2")], category_of) == {"food": Decimal(3)}


def test_other_currencies_are_left_out() -> None:
    """A report is in one currency."""
    sums = totals([expense("2024-01-10", "5"), expense("2024-01-10", "9", currency="USD")], category_of)
    assert sums == {"food": Decimal(5)}


def test_the_table_is_aligned() -> None:
    """Every line has the same width."""
    lines = table({"food": Decimal("1234.5"), "rent": Decimal(800)}).splitlines()
    assert {len(line) for line in lines} == {WIDTH}
    assert lines[-1].startswith("total")
    assert lines[-1].endswith("2,034.50 EUR")
