"""Cache marks: one more at each place where the next request can still read the cache.

mini-swe-agent clears every mark it meets and marks the last message of a request, where ``set_cache_control`` is on. So
ours, two at most, are set on what it has prepared for the API.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from context_strategies.cache_marks import mark_of, markable, marked
from context_strategies.events import LOG
from context_strategies.messages import ChatMessage
from mini_swe_agent_plugin.translate import Item

PREPARE = "_prepare_messages_for_api"
"""The method that every model class of mini-swe-agent with cache marks has."""


class Request(list[ChatMessage]):
    """The messages of one request; ``marks`` are the positions of those to be marked."""

    def __init__(self, messages: Iterable[ChatMessage], marks: Sequence[int]) -> None:
        super().__init__(messages)
        self.marks = marks


def extend(model: Any) -> None:
    """Have ``model`` set our marks in each :class:`Request` that it prepares."""
    prepare: Callable[[list[Item]], list[Item]] | None = getattr(model, PREPARE, None)
    if prepare is None:
        return

    def marking(messages: list[Item]) -> list[Item]:
        prepared = prepare(messages)
        try:
            places = messages.marks if isinstance(messages, Request) and len(messages) == len(prepared) else ()
            return set_marks(prepared, places)
        except Exception as error:  # noqa: BLE001 - never fatal: a mark only saves money
            LOG.warning("cache marks not set: %r", error)
            return prepared

    setattr(model, PREPARE, marking)


def set_marks(messages: list[Item], places: Sequence[int]) -> list[Item]:
    """``messages`` with a mark at ``places``, or at the last message before that can have one; as they are where the
    last one has none.
    """
    mark = mark_of(messages[-1]) if messages else None
    if mark is None:
        return messages
    marked_too = {markable(messages, place) for place in places} - {None, len(messages) - 1}
    return [marked(message, mark) if index in marked_too else message for index, message in enumerate(messages)]
