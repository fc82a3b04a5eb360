"""Keeping facts verbatim in a summary, whoever wrote it."""

from collections.abc import Iterable

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
