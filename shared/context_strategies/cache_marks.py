"""Cache marks on chat messages, where Anthropic's API, and the scaffolds for it, have them."""

from collections.abc import Mapping, Sequence
from typing import Any

MARK = "cache_control"

MARKABLE = frozenset({"user", "tool"})
"""Roles that scaffolds mark; a reply may be without text, and nothing can be marked there."""


def mark_of(message: Mapping[str, Any]) -> Any:
    """The cache mark on a message or on one of its parts, None if it has none."""
    if MARK in message:
        return message[MARK]
    content = message.get("content")
    if isinstance(content, list):
        for part in content:  # a generator would double the time of the scan over a whole request
            if isinstance(part, dict) and MARK in part:
                return part[MARK]
    return None


def marked(message: Mapping[str, Any], mark: Any) -> dict[str, Any]:
    """A copy of ``message`` with ``mark``: on a tool's answer as a whole, otherwise on its last part with text."""
    content = message["content"]
    parts = [dict(part) for part in content] if isinstance(content, list) else [{"type": "text", "text": content}]
    if message.get("role") == "tool":
        return {**message, "content": parts, MARK: mark}
    parts[_text_part(message)][MARK] = mark
    return {**message, "content": parts}


def markable(messages: Sequence[Mapping[str, Any]], place: int) -> int | None:
    """The last message up to ``place`` that can have a mark, None if there is none."""
    for index in range(place, -1, -1):
        if messages[index].get("role") in MARKABLE and _text_part(messages[index]) >= 0:
            return index
    return None


def _text_part(message: Mapping[str, Any]) -> int:
    """The position of the last part of a content with text, -1 if there is none; a string is one part."""
    content = message.get("content")
    if isinstance(content, str):
        return 0 if content else -1
    parts = content if isinstance(content, list) else []
    return max((i for i, part in enumerate(parts) if isinstance(part, dict) and part.get("text")), default=-1)
