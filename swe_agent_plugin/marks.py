"""Cache marks: one more at each place where the next request can still read the cache.

SWE-agent's ``cache_control`` processor clears every mark it meets and sets its own at the newest messages. So ours are
set by a processor of our own that joins the end of the agent's chain, wherever in it the strategy stands.
"""

from collections.abc import Sequence
from typing import Any

from context_strategies.events import LOG
from swe_agent_plugin.translate import Item

MARK = "cache_control"
MOST = 4
"""Marks that a provider takes in one request."""

MARKABLE = frozenset({"user", "tool"})
"""Roles that SWE-agent marks; a reply may be without text, and nothing can be marked there."""


class SettledMarks:
    """The last processor of an agent's chain: marks the places that the strategy's context named for this request."""

    def __init__(self) -> None:
        self._length = 0
        self._places: Sequence[int] = ()

    def expect(self, request: Sequence[Item], places: Sequence[int]) -> None:
        """Say what the strategy handed on, and the positions in it to be marked."""
        self._length, self._places = len(request), places

    def __call__(self, history: list[Item]) -> list[Item]:
        """``history`` with the marks set on copies; as it is where another processor has changed its length."""
        try:
            return set_marks(history, self._places) if len(history) == self._length else history
        except Exception as error:  # noqa: BLE001 - never fatal: a mark only saves money
            LOG.warning("cache marks not set: %r", error)
            return history


def set_marks(items: list[Item], places: Sequence[int]) -> list[Item]:
    """``items`` with marks at ``places`` besides those there are, or at the last message before that can have one.

    Nothing is marked in a request without marks. Of too many, the older ones of those that were there go.
    """
    there = {index: mark for index, item in enumerate(items) if (mark := mark_of(item))}
    if not there:
        return items
    ours = {place for place in (_markable(items, place) for place in places) if place is not None}
    room = max(MOST - len(ours), 0)
    kept = set(sorted(set(there) - ours)[-room:] if room else ())
    request = list(items)
    for index in set(there) - ours - kept:
        request[index] = unmarked(items[index])
    newest = there[max(there)]
    for index in ours - set(there):
        request[index] = marked(items[index], newest)
    return request


def _markable(items: Sequence[Item], place: int) -> int | None:
    for index in range(place, -1, -1):
        if items[index].get("role") in MARKABLE and _text_part(items[index]) >= 0:
            return index
    return None


def _text_part(item: Item) -> int:
    """The position of the last part of an item's content with text, -1 if there is none; a string is one part."""
    content = item.get("content")
    if isinstance(content, str):
        return 0 if content else -1
    parts = content if isinstance(content, list) else []
    return max((i for i, part in enumerate(parts) if isinstance(part, dict) and part.get("text")), default=-1)


def mark_of(item: Item) -> Any:
    """The cache mark on an item or on one of its parts, None if it has none."""
    if MARK in item:
        return item[MARK]
    content = item.get("content")
    if isinstance(content, list):
        for part in content:  # a generator would double the time of the scan over a whole request
            if isinstance(part, dict) and MARK in part:
                return part[MARK]
    return None


def marked(item: Item, mark: Any) -> Item:
    """A copy of ``item`` with ``mark`` where SWE-agent sets it: on a tool's answer as a whole, otherwise on a part."""
    content = item["content"]
    parts = [dict(part) for part in content] if isinstance(content, list) else [{"type": "text", "text": content}]
    if item.get("role") == "tool":
        return {**item, "content": parts, MARK: mark}
    parts[_text_part(item)][MARK] = mark
    return {**item, "content": parts}


def unmarked(item: Item) -> Item:
    """A copy of ``item`` without a mark."""
    copy = {key: value for key, value in item.items() if key != MARK}
    content = item.get("content")
    if isinstance(content, list):
        copy["content"] = [
            {key: value for key, value in part.items() if key != MARK} if isinstance(part, dict) else part
            for part in content
        ]
    return copy
