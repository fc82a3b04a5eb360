"""Expenses added up and laid out as a table."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal

from ledger.money import DEFAULT_CURRENCY, format_amount
from ledger.reader import Expense

WIDTH = 44
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

Totals = dict[str, Decimal]


def totals(expenses: Iterable[Expense], key: Callable[[Expense], str], currency: str = DEFAULT_CURRENCY) -> Totals:
    """What was spent in one currency, by key, in the order in which the keys first come up."""
    sums: defaultdict[str, Decimal] = defaultdict(Decimal)
    for expense in expenses:
        if expense.currency == currency:
            sums[key(expense)] += expense.amount
    return dict(sums)


def month_of(expense: Expense) -> str:
    """The month an expense belongs to."""
    return MONTHS[expense.day.month - 1]


def category_of(expense: Expense) -> str:
    """The category of an expense, ``other`` where it has none."""
    return expense.category or "other"


KEYS: Mapping[str, Callable[[Expense], str]] = {"month": month_of, "category": category_of}


def table(sums: Totals, currency: str = DEFAULT_CURRENCY) -> str:
    """The sums as lines with a total, names on the left and amounts on the right."""
    lines = [_line(name, format_amount(amount, currency)) for name, amount in sums.items()]
    total = format_amount(sum(sums.values(), Decimal()), currency)
    return "\n".join([*lines, "-" * WIDTH, _line("total", total)])


def _line(name: str, amount: str) -> str:
    return f"{name}{amount:>{WIDTH - len(name)}}"
