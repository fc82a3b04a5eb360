"""mini-swe-agent's messages with another text; what they are to the core, the reader of recorded runs says."""

from collections.abc import Mapping
from typing import Any

from context_strategies import messages
from context_strategies.trajectories.mini_items import ItemTranslator, as_chat

__all__ = ["Item", "ItemTranslator", "as_chat", "replaced"]

Item = dict[str, Any]


def replaced(item: Mapping[str, Any], text: str) -> Item:
    """A copy of ``item`` with ``text`` for content."""
    if item.get("type") == "function_call_output":
        return {**item, "output": text}
    copy = messages.replaced(item, text)
    if item.get("type") == "message" and isinstance(copy["content"], list):
        copy["content"] = [{"type": "input_text", "text": text}]
    return copy
