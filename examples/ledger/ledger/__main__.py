"""The command line."""

import argparse
import sys
from pathlib import Path

from ledger.errors import LedgerError
from ledger.money import CURRENCIES, DEFAULT_CURRENCY
from ledger.reader import read
from ledger.report import KEYS, table, totals


def main() -> int:
    """Print a report; return 1 where the file cannot be used."""
    parser = argparse.ArgumentParser(prog="ledger", description="What was spent, by month or by category.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--by", choices=sorted(KEYS), default="month")
    parser.add_argument("--currency", choices=CURRENCIES, default=DEFAULT_CURRENCY)
    options = parser.parse_args()
    try:
        expenses = read(options.file)
    except LedgerError as error:
        sys.stderr.write(f"{options.file}: {error}\n")
        return 1
    sys.stdout.write(table(totals(expenses, KEYS[options.by], options.currency), options.currency) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
