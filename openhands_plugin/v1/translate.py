"""The events of an OpenHands view as messages of the core."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from openhands.sdk.event import (
    ActionEvent,
    CondensationSummaryEvent,
    LLMConvertibleEvent,
    MessageEvent,
    ObservationBaseEvent,
)
from openhands.sdk.event.llm_convertible.observation import UserRejectObservation
from openhands.sdk.llm import ImageContent, TextContent

from context_strategies.history import Kind, Message
from context_strategies.messages import Translator, text_of
from openhands_plugin.v1.checkpoint import read

USERS_OWN = frozenset({"keep_output"})
"""The tag of what the user said in an observation: no masking strategy hides it."""

Group = tuple[LLMConvertibleEvent, ...]


def groups(events: Iterable[LLMConvertibleEvent]) -> list[Group]:
    """``events`` as the messages that they become: the calls of one answer together, every other event alone."""
    found: list[Group] = []
    for event in events:
        if found and _one_answer(found[-1][-1], event):
            found[-1] = (*found[-1], event)
        else:
            found.append((event,))
    return found


def _one_answer(before: LLMConvertibleEvent, event: LLMConvertibleEvent) -> bool:
    if not (isinstance(before, ActionEvent) and isinstance(event, ActionEvent)):
        return False
    return before.llm_response_id == event.llm_response_id


class Translation:
    """Turns groups of events into messages, one after the other; a message's key is its first event's id.

    Inside a tool loop that began with thinking an action is tied to the turn before it: such a loop goes whole.
    """

    def __init__(self) -> None:
        self._chat = Translator()
        self._thinking = False
        self._response = ""
        self._invalid: set[str] = set()

    def __call__(self, group: Group) -> Message:
        """The message that ``group`` is."""
        event = group[0]
        if isinstance(event, ActionEvent):
            return self._action([action for action in group if isinstance(action, ActionEvent)])
        if isinstance(event, ObservationBaseEvent):
            return self._observation(event)
        self._thinking = False
        return self._other(event)

    def _action(self, actions: Sequence[ActionEvent]) -> Message:
        first = actions[0]
        chat = {
            "role": "assistant",
            "content": [part for action in actions for part in _parts(action.thought)],
            "thinking_blocks": [block.model_dump() for block in first.thinking_blocks],
            "tool_calls": [
                {"id": a.tool_call_id, "function": {"name": a.tool_call.name, "arguments": a.tool_call.arguments}}
                for a in actions
            ],
        }
        invalid = {action.tool_call_id for action in actions if action.action is None}
        self._invalid |= invalid
        starts_loop = any(action.thinking_blocks for action in actions)
        tied = first.llm_response_id == self._response or (self._thinking and not starts_loop)
        self._thinking = self._thinking or starts_loop
        self._response = first.llm_response_id
        message = self._chat(chat, 0)
        return replace(message, key=first.id, failed=len(invalid) == len(actions), tied=tied)

    def _observation(self, event: ObservationBaseEvent) -> Message:
        shown = event.to_llm_message()
        chat = {
            "role": "tool",
            "tool_call_id": event.tool_call_id,
            "name": event.tool_name,
            "content": _parts(shown.content),
        }
        tags = USERS_OWN if isinstance(event, UserRejectObservation) else frozenset[str]()
        return replace(self._chat(chat, 0), key=event.id, failed=event.tool_call_id in self._invalid, tags=tags)

    def _other(self, event: LLMConvertibleEvent) -> Message:
        if isinstance(event, CondensationSummaryEvent):
            return Message(Kind.NOTE, read(event.summary)[0], event.id)
        shown = event.to_llm_message()
        content = _parts(shown.content)
        if shown.role == "assistant":
            blocks = [block.model_dump() for block in shown.thinking_blocks]
            chat = {"role": "assistant", "content": content, "thinking_blocks": blocks}
            return replace(self._chat(chat, 0), key=event.id)
        said, images = text_of(content)
        users = isinstance(event, MessageEvent) and event.source == "user"
        kind = Kind.SYSTEM if shown.role == "system" else Kind.TASK if users else Kind.NOTE
        return Message(kind, said, event.id, images=images)


def _parts(content: Iterable[TextContent | ImageContent]) -> list[dict[str, Any]]:
    """Content as the parts of a chat message, one part an image."""
    return [part for item in content for part in _part(item)]


def _part(item: TextContent | ImageContent) -> Iterator[dict[str, Any]]:
    if isinstance(item, TextContent):
        yield {"type": "text", "text": item.text}
    else:
        yield from ({"type": "image_url"} for _ in item.image_urls)


def messages_of(events: Iterable[LLMConvertibleEvent]) -> list[Message]:
    """The messages that a view's ``events`` are."""
    return list(map(Translation(), groups(events)))
