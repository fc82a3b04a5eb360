"""Reading files."""

from decimal import Decimal
from pathlib import Path

import pytest
from ledger.errors import LedgerError
from ledger.reader import read

HEADER = "id,date,payee,category,amount\n"


def write(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    """A file with this text."""
    path = folder / "expenses.csv"
    path.write_text(text, encoding=encoding)
    return path


def test_rows_come_oldest_first(tmp_path: Path) -> None:
    """Rows are sorted by day."""
    path = write(tmp_path, HEADER + "T2,2024-02-01,Shop,food,2\nT1,2024-01-01,Shop,food,1\n")
    assert [expense.id for expense in read(path)] == ["T1", "T2"]


def test_a_byte_order_mark_is_no_part_of_the_header(tmp_path: Path) -> None:
    """Spreadsheets write one."""
    path = write(tmp_path, HEADER + "T1,2024-01-01,Shop,food,1\n", "utf-8-sig")
    assert read(path)[0].amount == Decimal(1)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("id,date,payee,category\n", "E107"),
        (HEADER + "T1,01.02.2024,Shop,food,1\n", "E104"),
        (HEADER + "T1,2024-01-01,Shop,food,1\nT1,2024-01-02,Shop,food,1\n", "E112"),
    ],
)
def test_unusable_files(tmp_path: Path, text: str, code: str) -> None:
    """Each has its code."""
    with pytest.raises(LedgerError) as caught:
        read(write(tmp_path, text))
    assert caught.value.code == code
