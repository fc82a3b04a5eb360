"""What the scripted model does to mend the ``ledger`` package: one plan, told in each scaffold's own tools."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import dedent

from context_strategies.testing import Step, call, parallel, run, say

TASK = """\
Some reports of the ledger package are wrong. `python -m ledger data/expenses.csv` stops with error E107 although the
file has all columns; amounts like `1.234,50` and `12,50 CHF` are misread; half a cent is not rounded as the docstring
says; and January 2023 and January 2024 end up in one sum. Make the tests pass without changing them, check the reports
against data/expenses.csv, and say in the README how a month is written."""

TESTS = "python -m pytest -q"
MONTHLY = "python -m ledger data/expenses.csv --by month"


@dataclass(frozen=True)
class Shell:
    """Run a command."""

    command: str


@dataclass(frozen=True)
class View:
    """Read a file."""

    path: str


@dataclass(frozen=True)
class Change:
    """Replace the one place where ``old`` stands in a file."""

    path: str
    old: str
    new: str


Move = Shell | View | Change

WRONG = 'return bare.replace(".", "").replace(",", ".")'

RIGHT = """\
if "," in bare and "." in bare:
        thousands = min(",.", key=bare.rfind)
        return bare.replace(thousands, "").replace(",", ".")
    if GROUPS.fullmatch(bare):
        return bare.replace(",", "")
    return bare.replace(",", ".")"""

ROUNDED = """\
cents = amount.quantize(Decimal("0.01"), ROUND_HALF_UP)
    return f"{cents:,} {currency}\""""

BY_HAND = """\
python - <<'EOF'
import csv
from decimal import Decimal
total = Decimal()
for row in csv.DictReader(open("data/expenses.csv", encoding="utf-8-sig")):
    if row["date"].startswith("2024-01") and not row["amount"][0].isalpha():
        text = row["amount"]
        plain = text.replace(".", "").replace(",", ".") if "," in text and text[-3] == "," else text.replace(",", "")
        print(row["id"], text, plain)
        total += Decimal(plain)
print("Jan 2024", total)
EOF"""

PLAN: list[tuple[str, list[Move]]] = [
    (
        "First the layout of the project.",
        [Shell("find . -name '*.py' -o -name '*.csv' -o -name '*.md' | sort | xargs wc -l")],
    ),
    ("The README should say what an amount and an error code mean.", [View("README.md")]),
    ("Which tests fail now?", [Shell(TESTS)]),
    (
        "Six fail. Four are about amounts: test_spellings for 1.234,50 and 12,50 CHF, and test_format for 2.675.",
        [View("tests/test_money.py"), View("ledger/money.py")],
    ),
    (
        "_normalised drops every comma, and format_amount goes through float. Now the reader, for E107.",
        [View("tests/test_reader.py"), View("ledger/reader.py")],
    ),
    (
        "The header starts with a byte order mark, which ENCODING = utf-8 leaves in the first name. Then the report.",
        [View("tests/test_report.py"), View("ledger/report.py")],
    ),
    (
        "month_of has no year. Who else uses what I am about to change?",
        [Shell("grep -rnE '_normalised|format_amount|ENCODING|month_of|MONTHS' --include='*.py' .")],
    ),
    (
        "What do the bytes and the quoted amounts in the data look like?",
        [Shell("head -c 48 data/expenses.csv | od -c"), Shell("grep -n '\"' data/expenses.csv")],
    ),
    ("The whole file, to check sums against later.", [View("data/expenses.csv")]),
    ("Reproduce the error from the task.", [Shell(MONTHLY)]),
    (
        "As expected, E107 with \\ufeffid. utf-8-sig reads files with and without the mark.",
        [Change("ledger/reader.py", 'ENCODING = "utf-8"', 'ENCODING = "utf-8-sig"')],
    ),
    ("test_a_byte_order_mark_is_no_part_of_the_header should pass now.", [Shell(f"{TESTS} tests/test_reader.py")]),
    ("And the command from the task?", [Shell(MONTHLY)]),
    (
        "It runs. Next the rounding: ROUND_HALF_UP goes away from zero, as the docstring of format_amount says.",
        [Change("ledger/money.py", 'return f"{float(amount):,.2f} {currency}"', ROUNDED)],
    ),
    (
        "That needs an import.",
        [
            Change(
                "ledger/money.py",
                "from decimal import Decimal, InvalidOperation",
                "from decimal import ROUND_HALF_UP, Decimal, InvalidOperation",
            )
        ],
    ),
    ("The two cases of test_format with 2.675 should pass.", [Shell(f"{TESTS} tests/test_money.py")]),
    (
        "They do. Now 1.234,50: take points for thousands and the comma for decimals.",
        [Change("ledger/money.py", 'return bare.replace(",", "")', WRONG)],
    ),
    ("Check the spellings.", [Shell(f"{TESTS} tests/test_money.py")]),
    (
        "That broke 1234.5 and 1,234.50: the sign that comes last has to decide. Look at the function again.",
        [View("ledger/money.py")],
    ),
    (
        "Both signs: the last one is for decimals. Only commas in groups of three: thousands, as in USD 1,000.",
        [Change("ledger/money.py", WRONG, RIGHT)],
    ),
    (
        "GROUPS has to be defined beside CODE.",
        [
            Change(
                "ledger/money.py",
                "\n\n\ndef parse_amount",
                '\nGROUPS = re.compile(r"[-+]?\\d{1,3}(?:,\\d{3})+")\n\n\ndef parse_amount',
            )
        ],
    ),
    ("Again the spellings, and 1.2.3,4,5 must stay E101.", [Shell(f"{TESTS} tests/test_money.py")]),
    (
        "test_money passes. Now month_of with the year, as in test_months_of_different_years_are_apart: Jan 2023.",
        [
            Change(
                "ledger/report.py",
                "return MONTHS[expense.day.month - 1]",
                'return f"{MONTHS[expense.day.month - 1]} {expense.day.year}"',
            )
        ],
    ),
    ("All tests.", [Shell(TESTS)]),
    (
        "25 passed. The reports by month and by category, and in another currency.",
        [
            Shell(MONTHLY),
            Shell("python -m ledger data/expenses.csv --by category"),
            Shell("python -m ledger data/expenses.csv --currency USD"),
        ],
    ),
    ("Check Jan 2024 by hand, straight from the file and without the package.", [Shell(BY_HAND)]),
    (
        "The same sum as in the report. The rent is written in several ways: all must give the same amount.",
        [
            Shell("grep -n 'Elm Street Homes' data/expenses.csv"),
            Shell('python -c \'from ledger.money import parse_amount as p; print(p("1,150.00"), p("1.150,00"))\''),
        ],
    ),
    (
        "Now the README, below the two commands.",
        [
            Change(
                "README.md",
                "A file has the columns",
                "A month is written with its year, as in `Jan 2024`.\n\nA file has the columns",
            )
        ],
    ),
    ("A last look at the changed function and the whole change.", [View("ledger/money.py"), Shell("git diff")]),
    ("Nothing else should have changed, the tests least of all.", [Shell("git status --short")]),
]

DONE = "All 25 tests pass. Fixed: byte order mark (reader), spellings and rounding of amounts (money), months (report)."


def for_mini(*, format_error: bool) -> list[Step]:
    """The plan as shell commands, one a step; with ``format_error``, one reply forgets its command block."""
    steps = [run(_command(move), thought) for thought, move in _single()]
    if format_error:
        steps.insert(9, say("The data file has amounts in several spellings. I will look at the error next."))
    return [*steps, run("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff", DONE)]


def for_openhands(workspace: str, *, in_parallel: bool) -> list[Step]:
    """The plan in the terminal and the file editor, moves of one thought in one step where ``in_parallel``."""
    if in_parallel:
        steps = [parallel(*(_tool(move, workspace) for move in moves), thought=thought) for thought, moves in PLAN]
    else:
        steps = [parallel(_tool(move, workspace), thought=thought) for thought, move in _single()]
    return [*steps, call("finish", DONE, message=DONE)]


def _single() -> Iterator[tuple[str, Move]]:
    for thought, moves in PLAN:
        yield thought, moves[0]
        for move in moves[1:]:
            yield f"Then {_object(move)}.", move


def _object(move: Move) -> str:
    match move:
        case View(path) | Change(path):
            return path
        case Shell(command):
            return f"`{command}`"


def _command(move: Move) -> str:
    match move:
        case Shell(command):
            return command
        case View(path):
            return f"cat {shlex.quote(path)}"
        case Change(path, old, new):
            return dedent("""\
                python - <<'EOF'
                from pathlib import Path
                path = Path({path!r})
                text = path.read_text()
                old, new = {old!r}, {new!r}
                assert text.count(old) == 1, text.count(old)
                path.write_text(text.replace(old, new))
                EOF""").format(path=path, old=old, new=new)


def _tool(move: Move, workspace: str) -> Step:
    match move:
        case Shell(command):
            return run(command)
        case View(path):
            return call("file_editor", command="view", path=f"{workspace}/{path}")
        case Change(path, old, new):
            return call("file_editor", command="str_replace", path=f"{workspace}/{path}", old_str=old, new_str=new)
