"""mini-swe-agent's messages as neutral ones, in a run and in a recording of it: chat messages, and those of OpenAI's
Responses API.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from context_strategies.fields import section
from context_strategies.history import Kind, Message
from context_strategies.messages import Translator, decoded


class ItemTranslator:
    """The agent's messages to neutral ones, one after the other: what one is depends on those before it."""

    def __init__(self) -> None:
        self._translate = Translator()

    def __call__(self, item: Mapping[str, Any], key: int) -> Message:
        """The next message of the conversation, keyed ``key``."""
        message = self._translate(as_chat(item), key)
        extra = section(item, "extra")
        interrupt = extra.get("interrupt_type")
        if interrupt == "FormatError":
            return Message(Kind.NOTE, message.text, key, failed=True)
        if interrupt:  # the user's own word, which an agent without tool calls gets in the same role as its outputs
            return Message(Kind.TASK, message.text, key, images=message.images)
        if message.kind is Kind.TASK and "returncode" in extra:  # a command that the user gave
            message = replace(message, kind=Kind.OBSERVATION)
        return replace(message, decoded=decoded(message.text)) if message.kind is Kind.OBSERVATION else message


def as_chat(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message of the Responses API as the chat message that it amounts to; any other as it is."""
    if item.get("type") == "function_call_output":
        return {"role": "tool", "content": item.get("output"), "tool_call_id": item.get("call_id")}
    if item.get("object") != "response":
        return item
    output = [section(part) for part in item.get("output") or ()]
    said = [part for entry in output if entry.get("type") == "message" for part in entry.get("content") or ()]
    calls = [{"id": part.get("call_id"), "function": part} for part in output if part.get("type") == "function_call"]
    return {"role": "assistant", "content": said, "tool_calls": calls}
