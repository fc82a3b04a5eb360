"""Cache marks: one more at each place where the next request can still read the cache.

SWE-agent's ``cache_control`` processor clears every mark it meets and sets its own at the newest messages. So ours are
set by a processor of our own that joins the end of the agent's chain, wherever in it the strategy stands.
"""

from collections.abc import Sequence

from context_strategies.cache_marks import MARK, mark_of, markable, marked
from context_strategies.events import LOG
from swe_agent_plugin.translate import Item

MOST = 4
"""Marks that a provider takes in one request."""


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
    ours = {place for place in (markable(items, place) for place in places) if place is not None}
    room = max(MOST - len(ours), 0)
    kept = set(sorted(set(there) - ours)[-room:] if room else ())
    request = list(items)
    for index in set(there) - ours - kept:
        request[index] = unmarked(items[index])
    newest = there[max(there)]
    for index in ours - set(there):
        request[index] = marked(items[index], newest)
    return request


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
