"""Keeping facts verbatim in a summary, whoever wrote it."""

from collections.abc import Iterable
from itertools import takewhile

HEADING = "## Facts to keep verbatim"


def keep_facts_verbatim(text: str, facts: Iterable[str]) -> str:
    r"""``text``, with those of ``facts`` that it does not hold letter for letter listed at its end, under ``HEADING``.

    >>> keep_facts_verbatim("Fixed src/a.py.", ["src/a.py", "E1042"])
    'Fixed src/a.py.\n\n## Facts to keep verbatim\n- E1042'
    """
    missing = [f"- {fact}" for fact in dict.fromkeys(facts) if fact not in text]
    if not missing:
        return text
    if HEADING not in text:
        missing.insert(0, f"\n{HEADING}" if text else HEADING)
    return "\n".join([text, *missing] if text else missing)


def listed_facts(text: str) -> tuple[str, ...]:
    r"""The facts that a summary lists under its last ``HEADING``, one a line.

    >>> listed_facts("Fixed it.\n\n## Facts to keep verbatim\n- E1042\n- src/a.py\n\n## Done\n- nothing")
    ('E1042', 'src/a.py')
    """
    _, heading, after = text.rpartition(HEADING)
    if not heading:
        return ()
    listed = takewhile(lambda line: line.startswith("- "), after.lstrip("\n").split("\n"))
    return tuple(line.removeprefix("- ") for line in listed)
