"""Rows of a CSV file as expenses."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

from ledger.errors import LedgerError
from ledger.money import parse_amount

COLUMNS = ("id", "date", "payee", "category", "amount")
ENCODING = "utf-8"


@dataclass(frozen=True)
class Expense:
    """One row of a file."""

    id: str
    day: date
    payee: str
    category: str
    amount: Decimal
    currency: str


def read(path: Path) -> list[Expense]:
    """All expenses of a file, oldest first.

    Raises LedgerError for the first row that cannot be used.
    """
    with path.open(encoding=ENCODING, newline="") as file:
        expenses = list(_expenses(csv.DictReader(file)))
    _check_unique(expenses)
    return sorted(expenses, key=lambda expense: (expense.day, expense.id))


def _expenses(rows: csv.DictReader[str]) -> Iterator[Expense]:
    for column in COLUMNS:
        if column not in (rows.fieldnames or ()):
            raise LedgerError("E107", f"missing column {column!r}, found {rows.fieldnames}")
    for number, row in enumerate(rows, start=2):
        amount, currency = parse_amount(row["amount"], number)
        yield Expense(row["id"], _day(row["date"], number), row["payee"], row["category"], amount, currency)


def _day(text: str, row: int) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise LedgerError("E104", f"cannot read the date {text!r}", row) from None


def _check_unique(expenses: list[Expense]) -> None:
    seen: dict[str, Expense] = {}
    for expense in expenses:
        if expense.id in seen:
            raise LedgerError("E112", f"two expenses have the id {expense.id!r}")
        seen[expense.id] = expense
