"""Tables as CSV: no cell is a formula, and every text comes back."""

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from context_strategies.compare.csv_text import FORMULA, csv_of, unquoted

SIGNS = ["=", "+", "-", "@", "\t", "'", "a", '"', ",", "\n", " "]
TEXTS = st.text(st.sampled_from(SIGNS), max_size=5)


@given(st.lists(st.tuples(TEXTS, TEXTS | st.integers()), min_size=1))
def test_what_is_written_is_read_again(rows: list[tuple[str, str | int]]) -> None:
    text = csv_of({"a": first, "b": second} for first, second in rows)
    cells = [tuple(row.values()) for row in csv.DictReader(io.StringIO(text, newline=""))]
    assert [(unquoted(first), unquoted(second)) for first, second in cells] == [
        (first, str(second)) for first, second in rows
    ]
    assert not any(first.startswith(FORMULA) for first, _ in cells)


def test_other_cells_stay_as_they_are() -> None:
    assert [unquoted(cell) for cell in ("", "'", "'a", "a'=", "=x", "-1")] == ["", "'", "'a", "a'=", "=x", "-1"]
    assert csv_of([{"a": -1, "b": None}, {"c": "-1"}]) == "a,b,c\n-1,,\n,,'-1\n"
    assert csv_of([{"a": "\r=x"}]).startswith("a\n'")
