"""Plain chat messages (OpenAI shape) to neutral ones, and a context of them back to chat messages."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from context_strategies.commands import command_of, fenced_command
from context_strategies.context import Context
from context_strategies.fields import items, mapping
from context_strategies.history import Kind, Message

ChatMessage = Mapping[str, Any]

OUTPUT = frozenset({"returncode", "output_head"})
"""What tells an output in JSON: of a whole one, and of one that mini-swe-agent's ``mini.yaml`` cut."""


def text_of(content: object) -> tuple[str, int]:
    """The text of a message's content (a string or a list of parts), and how many images it holds."""
    if isinstance(content, str):
        return content, 0
    if not isinstance(content, Iterable):
        return "", 0
    texts: list[str] = []
    images = 0
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping):
            if isinstance(part.get("text"), str):
                texts.append(part["text"])
            elif "image" in str(part.get("type", "")):
                images += 1
    return "\n".join(texts), images


def calls_of(message: ChatMessage) -> list[tuple[str, str, str]]:
    """The tool calls of an assistant message: (id, tool, arguments as text) each."""
    calls = []
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        arguments = function.get("arguments") or ""
        rendered = arguments if isinstance(arguments, str) else json.dumps(arguments)
        calls.append((str(call.get("id") or ""), str(function.get("name") or ""), rendered))
    return calls


def reply_of(response: object, place: str) -> ChatMessage:
    """The assistant message of a recorded chat completion; ``ValueError`` that names ``place`` where it has none."""
    choices = items(mapping(response, place).get("choices"), f"{place}.choices")
    if not choices:
        raise ValueError(f"{place}.choices is empty")
    message = mapping(choices[0].get("message"), f"{place}.choices[0].message")
    items(message.get("tool_calls") or [], f"{place}.choices[0].message.tool_calls")
    return message


def decoded(text: str) -> str | None:
    """An output without its JSON, which mini-swe-agent's ``mini.yaml`` puts all outputs in: there a line break is two
    characters, and the second would count as the first of the name behind it. None for any other text.
    """
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (RecursionError, ValueError):
        return None
    return "\n".join(map(str, value.values())) if isinstance(value, dict) and value.keys() & OUTPUT else None


def thinking_of(message: ChatMessage) -> list[str]:
    """Thinking that a scaffold sends back with an assistant message."""
    blocks = message.get("thinking_blocks") or ()
    texts = [str(block.get("thinking") or "") for block in blocks if isinstance(block, Mapping)]
    return [text for text in texts if text]


class Translator:
    """Chat messages to neutral ones, one after the other: what a message is depends on those before it.

    A user message before the first reply is the task. After it, it is what the environment answered as long as the
    agent makes no tool calls, and the user's own word (task, never edited) once it does.
    """

    def __init__(self) -> None:
        self._commands: dict[str, tuple[str, str]] = {}
        self._last = ""
        self._acted = False

    def __call__(self, message: ChatMessage, key: int) -> Message:
        """The next message of the conversation, keyed ``key``."""
        role = message.get("role")
        text, images = text_of(message.get("content"))
        if role == "assistant":
            return self._action(message, text, key)
        if role == "tool":
            call_id = str(message.get("tool_call_id") or "")
            tool, command = self._commands.get(call_id, (str(message.get("name") or ""), ""))
            return Message(Kind.OBSERVATION, text, key, (call_id,), tool, command, images=images)
        if role in {"system", "developer"}:
            return Message(Kind.SYSTEM, text, key, images=images)
        if self._acted and not self._commands:
            return Message(Kind.OBSERVATION, text, key, command=self._last, images=images)
        return Message(Kind.TASK, text, key, images=images)

    def _action(self, message: ChatMessage, text: str, key: int) -> Message:
        calls = calls_of(message)
        for call_id, tool, arguments in calls:
            self._commands[call_id] = (tool, command_of(tool, arguments))
        self._acted = True
        self._last = fenced_command(text)
        rendered = [f"{tool}({arguments})" for _, tool, arguments in calls]
        whole = "\n".join(part for part in (*thinking_of(message), text, *rendered) if part)
        return Message(Kind.ACTION, whole, key, tuple(call_id for call_id, _, _ in calls))


def translate(messages: Sequence[ChatMessage]) -> list[Message]:
    """All of ``messages``, keyed by their position."""
    translator = Translator()
    return [translator(message, key) for key, message in enumerate(messages)]


def render(
    context: Context,
    messages: Sequence[ChatMessage],
    mask: Callable[[ChatMessage, str], ChatMessage] | None = None,
) -> list[ChatMessage]:
    """``context`` as chat messages: those of ``messages`` it keeps, what ``mask`` makes of those it masks (by default
    :func:`replaced`), summaries as the user's.
    """
    mask = mask or replaced
    return [
        {"role": "user", "content": part.text}
        if part.place is None
        else messages[part.place]
        if part.text is None
        else mask(messages[part.place], part.text)
        for part in context
    ]


def replaced(message: ChatMessage, text: str) -> dict[str, Any]:
    """A copy of ``message`` with ``text`` for content, in a list of parts if it had one."""
    content = [{"type": "text", "text": text}] if isinstance(message.get("content"), list) else text
    return {**message, "content": content}
