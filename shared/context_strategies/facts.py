"""Facts: what a later step may need verbatim from an earlier output."""

import re
from collections import Counter
from collections.abc import Iterable

from context_strategies.history import Message

FACT = re.compile(
    r"""https?://[^\s"'<>)\]]{1,300}              # addresses
      | (?:[\w.-]{1,80}/){1,12}[\w.-]{1,80}       # paths
      | \b[A-Za-z_]\w{1,60}(?:\.[A-Za-z_]\w{1,60}){1,6}\b  # dotted names and file names
      | \b(?:[A-Z][a-z0-9]{1,30}){2,8}\b          # CamelCase
      | \b[A-Za-z]\w{0,40}_\w{1,40}\b             # snake_case
      | \b[0-9a-f]{7,40}\b                        # hashes
      | \b\d{2,}(?:\.\d+)?\b                      # numbers
    """,
    re.VERBOSE | re.ASCII,
)
FACT_LENGTH = 80
SCANNED = 200_000
"""Characters of an output that are looked at."""


def facts_of(text: str) -> Counter[str]:
    """Facts in ``text`` with the number of their mentions, in order of first mention."""
    return Counter(match[0] for match in FACT.finditer(text[:SCANNED]) if len(match[0]) <= FACT_LENGTH)


def top_facts(text: str, count: int) -> list[str]:
    """The ``count`` most mentioned facts of ``text``; of equals, the one mentioned first comes first."""
    return [fact for fact, _ in facts_of(text).most_common(count)]


KEEP = re.compile(r"<keep>(.{1,2000}?)</keep>", re.DOTALL)
MOST_TAGGED = 50
"""Tagged facts that are carried along at most; the newest stay."""


def tagged_facts(messages: Iterable[Message], patterns: Iterable[str] = ()) -> tuple[str, ...]:
    """Texts that must be kept verbatim: what stands between ``<keep>`` tags, and what ``patterns`` match, in order."""
    compiled = [KEEP, *(re.compile(pattern) for pattern in patterns)]
    found: dict[str, None] = {}
    for message in messages:
        for pattern in compiled:
            for match in pattern.finditer(message.text[:SCANNED]):
                fact = match[1] if pattern is KEEP else match[0]
                if fact.strip():
                    found.pop(fact.strip(), None)
                    found[fact.strip()] = None
    return tuple(found)[-MOST_TAGGED:]
