import pytest

pytest.importorskip("openhands.sdk", reason="the OpenHands SDK is not installed here")

from openhands.sdk.event import AgentErrorEvent, MessageEvent
from openhands.sdk.llm import TextContent

from openhands_plugin.v1.show import ContextObservation, can_mark, marked, masked


def said(source: str, *texts: str, rules: tuple[str, ...] = ()) -> MessageEvent:
    return MessageEvent.model_validate(
        {
            "source": source,
            "llm_message": {
                "role": "user" if source == "user" else "assistant",
                "content": [{"type": "text", "text": text} for text in texts],
            },
            "extended_content": [TextContent(text=rule) for rule in rules],
        }
    )


ERROR = AgentErrorEvent(error="No such tool.", tool_name="nose", tool_call_id="c1")


def marks(event: MessageEvent) -> list[tuple[str, bool]]:
    parts = [*event.llm_message.content, *event.extended_content]
    return [(part.text, part.cache_prompt) for part in parts if isinstance(part, TextContent)]


def test_a_mark_is_on_the_last_block_of_what_is_sent() -> None:
    plain, ruled = marked(said("user", "a", "b")), marked(said("user", "a", rules=("r", "s")))
    assert isinstance(plain, MessageEvent)
    assert isinstance(ruled, MessageEvent)
    assert marks(plain) == [("a", False), ("b", True)]
    assert marks(ruled) == [("a", False), ("r", False), ("s", True)]


def test_an_error_is_marked_and_masked_as_the_answer_to_its_call() -> None:
    for event, text in ((marked(ERROR), ERROR.error), (masked(ERROR, "[hidden]"), "[hidden]")):
        assert isinstance(event, ContextObservation)
        message = event.to_llm_message()
        (part,) = message.content
        assert isinstance(part, TextContent)
        assert text in part.text
        assert (message.role, message.tool_call_id, event.id) == ("tool", "c1", ERROR.id)
    assert can_mark(ERROR)


def test_what_cannot_be_marked_or_masked_stays_the_same() -> None:
    reply, empty = said("agent", "Done."), said("user")
    assert marked(reply) is reply
    assert not can_mark(reply)
    assert masked(reply, "[hidden]") is reply
    assert marked(empty) == empty
