"""Cache marks: one more at each place where the next request can still read the cache.

mini-swe-agent clears every mark it meets and marks the last message of a request, where ``set_cache_control`` is on. So
ours, two at most, are set on what it has prepared for the API.
"""

from collections.abc import Callable, Sequence
from typing import Any

from context_strategies.events import LOG
from mini_swe_agent_plugin.translate import Item

MARK = "cache_control"
PREPARE = "_prepare_messages_for_api"
"""The method that every model class of mini-swe-agent with cache marks has."""

MARKABLE = frozenset({"user", "tool"})
"""A reply may be without text, and nothing can be marked there."""


class Request(list[Item]):
    """The messages of one request, with the positions of those to be marked."""

    marks: Sequence[int] = ()


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
    found = {next((i for i in range(place, -1, -1) if _markable(messages[i])), -1) for place in places}
    marked_too = found - {-1, len(messages) - 1}
    return [marked(message, mark) if index in marked_too else message for index, message in enumerate(messages)]


def mark_of(message: Item) -> Any:
    """The cache mark on a message or on one of its parts, None if it has none."""
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    return next((part[MARK] for part in (message, *parts) if isinstance(part, dict) and MARK in part), None)


def marked(message: Item, mark: Any) -> Item:
    """A copy of ``message`` with ``mark`` where mini-swe-agent sets it: on a tool's answer as a whole, or on a part."""
    content = message["content"]
    parts = [dict(part) for part in content] if isinstance(content, list) else [{"type": "text", "text": content}]
    if message["role"] == "tool":
        return {**message, "content": parts, MARK: mark}
    last = max(index for index, part in enumerate(parts) if part.get("text"))
    parts[last][MARK] = mark
    return {**message, "content": parts}


def _markable(message: Item) -> bool:
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"text": content}]
    return message.get("role") in MARKABLE and any(isinstance(part, dict) and part.get("text") for part in parts)
