"""Tables as CSV, which a spreadsheet shows and never runs, and which is read again as it was."""

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

QUOTE = "'"
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the start of a formula, though it be text."""


def csv_of(rows: Iterable[Mapping[str, Any]]) -> str:
    """``rows`` under all their columns."""
    rows = list(rows)
    out = io.StringIO()
    writer = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _quoted(value) for name, value in row.items()} for row in rows)
    return out.getvalue()


def _quoted(value: Any) -> Any:
    return f"{QUOTE}{value}" if isinstance(value, str) and value.startswith((*FORMULA, QUOTE)) else value


def unquoted(cell: str) -> str:
    """The text that :func:`csv_of` has made ``cell`` of; any other cell as it is."""
    return cell[1:] if cell[:1] == QUOTE and cell[1:].startswith((*FORMULA, QUOTE)) else cell
