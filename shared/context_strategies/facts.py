"""Facts: what a later step may need verbatim from an earlier output."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import filterfalse

from context_strategies.history import Kind, Message

TOKEN = re.compile(r"https?://[^\s\"'<>)\]]{1,200}|[A-Za-z0-9_~/.][A-Za-z0-9_/.@%+~-]*[A-Za-z0-9_/]", re.ASCII)
QUOTED = re.compile(r"[\"'`]([A-Za-z][A-Za-z0-9-]{2,40})[\"'`]", re.ASCII)

SHORTEST, LONGEST = 2, 120
"""Characters of a fact."""

SCANNED = 1_000_000
"""Characters of a text that are looked at."""

NEEDED = {
    "error": 0.72,
    "quoted": 0.45,
    "cased": 0.40,
    "snake": 0.28,
    "dotted": 0.27,
    "path": 0.14,
    "decimal": 0.07,
    "number": 0.05,
    "id": 0.04,
    "address": 0.03,
}
"""The kinds of fact, and the share of each that a later action used again, in 25 recorded runs of 15 turns and more."""


KINDS: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("number", str.isdigit),
    ("address", re.compile(r"://|@").search),
    ("path", re.compile(r"/.*\w|\w.*/").search),
    ("error", re.compile(r"(?:Error|Exception|Warning)$").search),
    ("snake", re.compile(r"[^_]_+[^_]").search),
    ("dotted", re.compile(r"[A-Za-z][\w-]*\.\w|\w\.[A-Za-z]").search),
    ("decimal", re.compile(r"\d\.\d").search),
    ("cased", re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]").search),
    ("id", re.compile(r"^(?=.*\d).{7,}$").search),
)
"""What each kind looks like, asked in this order."""


@lru_cache(maxsize=100_000)
def kind_of(token: str) -> str:
    """Which kind of fact a word is, empty for none."""
    if not SHORTEST <= len(token) <= LONGEST:
        return ""
    return next((kind for kind, matches in KINDS if matches(token)), "")


def facts_of(text: str) -> Counter[str]:
    """Facts in ``text`` with the number of their mentions: addresses, paths, dotted, cased and joined names, error
    names, numbers, ids, and quoted words. Linear in the length of the text.
    """
    scanned = text[:SCANNED]
    tokens = Counter(TOKEN.findall(scanned))
    facts = Counter({token: tokens[token] for token in filter(kind_of, tokens)})
    facts.update(filterfalse(kind_of, QUOTED.findall(scanned)))
    return facts


def ranked(facts: Counter[str]) -> list[str]:
    """``facts`` with those first that a later step is likely to need: by how often their kind was needed, times the
    square root of their mentions; of equals, the one mentioned first.
    """
    return sorted(facts, key=lambda fact: -NEEDED[kind_of(fact) or "quoted"] * facts[fact] ** 0.5)


def ranked_facts(text: str) -> list[str]:
    """The facts in ``text``, those first that a later step is likely to need."""
    return ranked(facts_of(text))


KEEP = re.compile(r"<keep>([^<]{1,2000})</keep>")
TAG = re.compile("</?keep>")
MOST_TAGGED = 50
"""Tagged facts that are carried along at most; the newest stay."""


def tagged_facts(messages: Iterable[Message], patterns: Iterable[str] = ()) -> tuple[str, ...]:
    """Texts that must be kept verbatim, in order: what stands between ``<keep>`` tags, and what ``patterns`` match in
    any message. An output's own tags count for nothing: whoever wrote it would steer the summaries.
    """
    compiled = [re.compile(pattern) for pattern in patterns]
    found: dict[str, None] = {}
    for message in messages:
        tagged = [] if message.kind is Kind.OBSERVATION else message.find(_tagged)
        plain = TAG.sub(" ", message.plain[:SCANNED]) if compiled else ""
        matched = [match[0] for pattern in compiled for match in pattern.finditer(plain)]
        for fact in map(str.strip, (*tagged, *matched)):
            if fact:
                found.pop(fact, None)
                found[fact] = None
    return tuple(found)[-MOST_TAGGED:]


def _tagged(text: str) -> list[str]:
    return KEEP.findall(text[:SCANNED])


def used_facts(old: Iterable[Message], newer: Iterable[Message], task: Iterable[Message]) -> tuple[str, ...]:
    """Facts of observations among the ``old`` messages that the ``task`` names, or that an action after them uses,
    among the old ones or the ``newer``; the last used last.
    """
    named = {fact for message in task for fact in message.find(ranked_facts)}
    observed: set[str] = set()
    used: dict[str, None] = {}
    for message, is_old in (*((one, True) for one in old), *((one, False) for one in newer)):
        again: Iterable[str] = ()
        if message.kind is Kind.ACTION:
            again = observed.intersection(message.find(ranked_facts))
        elif message.kind is Kind.OBSERVATION and is_old:
            facts = message.find(ranked_facts)
            observed.update(facts)
            again = named.intersection(facts)
        for fact in sorted(again):
            used.pop(fact, None)
            used[fact] = None
    return tuple(used)
