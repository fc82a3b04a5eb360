"""A context as the events of a view: those it keeps as they are, stand-ins for what it masks or marks."""

from collections.abc import Sequence

from openhands.sdk.event import LLMConvertibleEvent, MessageEvent, ObservationBaseEvent
from openhands.sdk.event.llm_convertible import ObservationEvent
from openhands.sdk.llm import ImageContent, Message, TextContent
from pydantic import Field


class ContextObservation(ObservationBaseEvent):
    """What the model is shown instead of an observation of whatever tool: part of a view, never stored."""

    content: list[TextContent | ImageContent] = Field(description="What the model reads.")

    def to_llm_message(self) -> Message:
        """The tool's answer to the same call."""
        return Message(role="tool", content=list(self.content), name=self.tool_name, tool_call_id=self.tool_call_id)


def masked(event: LLMConvertibleEvent, text: str) -> LLMConvertibleEvent:
    """``event`` with ``text`` for its output; rules that the agent's context attached to it stay."""
    if not isinstance(event, ObservationBaseEvent):
        return event
    rules = getattr(event, "extended_content", []) if isinstance(event, ObservationEvent) else []
    return _instead(event, [TextContent(text=text), *rules])


def marked(event: LLMConvertibleEvent) -> LLMConvertibleEvent:
    """``event`` with a cache mark on its last block of content; itself where it can carry none."""
    if isinstance(event, ObservationBaseEvent):
        return _instead(event, _with_mark(event.to_llm_message().content))
    if isinstance(event, MessageEvent) and event.llm_message.role == "user":
        if event.extended_content:
            return event.model_copy(update={"extended_content": _with_mark(event.extended_content)})
        message = event.llm_message.model_copy(update={"content": _with_mark(event.llm_message.content)})
        return event.model_copy(update={"llm_message": message})
    return event


def can_mark(event: LLMConvertibleEvent) -> bool:
    """Whether ``event`` becomes a user's or a tool's message, which may carry a mark."""
    return isinstance(event, ObservationBaseEvent) or (
        isinstance(event, MessageEvent) and event.llm_message.role == "user"
    )


def _instead(event: ObservationBaseEvent, content: Sequence[TextContent | ImageContent]) -> ContextObservation:
    return ContextObservation(
        id=event.id,
        timestamp=event.timestamp,
        source=event.source,
        tool_name=event.tool_name,
        tool_call_id=event.tool_call_id,
        content=list(content),
    )


def _with_mark(content: Sequence[TextContent | ImageContent]) -> list[TextContent | ImageContent]:
    if not content:
        return []
    return [*content[:-1], content[-1].model_copy(update={"cache_prompt": True})]
