"""The demo's repository: a made-up package of one module a topic, each with tests, and one fault."""

from pathlib import Path

TOPICS = (
    "catalogue",
    "customers",
    "discounts",
    "invoices",
    "orders",
    "payments",
    "returns",
    "shipping",
    "stock",
    "suppliers",
    "taxes",
    "vouchers",
)
"""The modules of the package, in the order of their names; the fault is in ``taxes``."""

TASK = """\
`shop.taxes.total_taxes` is a cent too low where the sum ends in half a cent: it should round half up. Find out why, \
mend it, and make sure that no other module rounds the same way. Leave the tests as they are."""

ROWS = 36
"""Entries a module: its file has about 900 tokens."""

MODULE = '''"""The {topic} of the shop."""

from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

{table} = {{
{rows}
}}


class Unknown{name}Error(LookupError):
    """No such entry among the {topic}."""


def find_{topic}(number: str) -> tuple[str, Decimal]:
    """The name and the amount of one entry; raises Unknown{name}Error."""
    try:
        return {table}[number]
    except KeyError:
        raise Unknown{name}Error(number) from None


def list_{topic}(prefix: str = "") -> list[str]:
    """The numbers whose names start with ``prefix``, in order."""
    return sorted(number for number, (name, _) in {table}.items() if name.startswith(prefix))


def total_{topic}(share: str = "1") -> Decimal:
    """All amounts together, times ``share``, in whole cents."""
    total = sum((amount for _, amount in {table}.values()), Decimal())
    return (total * Decimal(share)).quantize(Decimal("0.01"), {rounding})
'''

TESTS = '''"""Tests of the {topic}."""

import unittest
from decimal import Decimal

from shop.{topic} import Unknown{name}Error, find_{topic}, list_{topic}, total_{topic}


class Test{name}(unittest.TestCase):
    def test_an_entry_is_found(self):
        self.assertEqual(find_{topic}("{first}")[0], "{topic} 0")

    def test_an_unknown_number_is_an_error(self):
        self.assertRaises(Unknown{name}Error, find_{topic}, "none")

    def test_numbers_are_listed_in_order(self):
        self.assertEqual(list_{topic}(), sorted(list_{topic}()))

    def test_half_a_cent_is_rounded_up(self):
        self.assertEqual(total_{topic}("0.5"), Decimal("{half}"))


if __name__ == "__main__":
    unittest.main()
'''


def write(folder: Path) -> None:
    """Write the repository's files into ``folder``: the same bytes each time."""
    for name in ("shop", "tests"):
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "__init__.py").write_text("", encoding="utf-8")
    listed = "\n".join(f"- `shop.{topic}`: find, list and total the {topic}" for topic in TOPICS)
    (folder / "README.md").write_text(f"# shop\n\nA small shop, a module a topic:\n\n{listed}\n", encoding="utf-8")
    (folder / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
    for place, topic in enumerate(TOPICS):
        amounts = [1_000 * (place + 1) + 37 * row for row in range(ROWS)]
        amounts[-1] += 1 - sum(amounts) % 2  # an odd number of cents, half of which has to be rounded
        fields = {
            "topic": topic,
            "name": topic.capitalize(),
            "table": topic.upper(),
            "first": _number(topic, 0),
            "rows": "\n".join(_row(topic, row, cents) for row, cents in enumerate(amounts)),
            "rounding": "ROUND_DOWN" if topic == "taxes" else "ROUND_HALF_UP",
            "half": f"{(sum(amounts) + 1) // 2 / 100:.2f}",
        }
        (folder / "shop" / f"{topic}.py").write_text(MODULE.format(**fields), encoding="utf-8")
        (folder / "tests" / f"test_{topic}.py").write_text(TESTS.format(**fields), encoding="utf-8")


def _number(topic: str, row: int) -> str:
    return f"{topic[:3].upper()}-{10_000 + 379 * row}"


def _row(topic: str, row: int, cents: int) -> str:
    return f'    "{_number(topic, row)}": ("{topic} {row}", Decimal("{cents / 100:.2f}")),'
