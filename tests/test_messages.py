from typing import Any

import pytest

from chat_loop import HEAD, OUTPUT, answer, call
from context_strategies import Kind
from context_strategies.history import IMAGE_TOKENS
from context_strategies.messages import text_of, thinking_of, translate


def test_roles_become_kinds() -> None:
    messages = [*HEAD, call("a", "ls", "Look."), answer("a"), {"role": "user", "content": "Also the docs."}]
    translated = translate(messages)
    assert [m.kind for m in translated] == [Kind.SYSTEM, Kind.TASK, Kind.ACTION, Kind.OBSERVATION, Kind.TASK]
    assert translated[2].text == 'Look.\nbash({"command": "ls"})'
    assert (translated[3].call_ids, translated[3].tool, translated[3].command) == (("a",), "bash", "ls")
    assert [m.key for m in translated] == [0, 1, 2, 3, 4]


def test_without_tool_calls_the_users_messages_are_outputs() -> None:
    said = "Look.\n```bash\nls\n```"
    translated = translate([*HEAD, {"role": "assistant", "content": said}, {"role": "user", "content": OUTPUT}])
    assert (translated[-1].kind, translated[-1].command) == (Kind.OBSERVATION, "ls")


def test_content_may_be_a_list_of_parts_with_images() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    assert text_of([{"type": "text", "text": "a"}, "b", image, {"type": "input_audio"}, 7]) == ("a\nb", 1)
    assert text_of(None) == text_of(7) == ("", 0)
    (message,) = translate([{"role": "user", "content": [image]}])
    assert message.tokens == IMAGE_TOKENS


def test_thinking_that_is_sent_back_counts_as_the_actions_text() -> None:
    message = {
        "role": "assistant",
        "content": "Yes.",
        "thinking_blocks": [{"thinking": "Hm."}, {"data": "redacted"}, 7],
    }
    assert thinking_of(message) == ["Hm."]
    assert translate([*HEAD, message])[-1].text == "Hm.\nYes."


@pytest.mark.parametrize(
    "calls",
    [None, [], [{"id": None, "function": None}], [{"id": "a", "function": {"name": "f", "arguments": {"x": 1}}}]],
)
def test_odd_tool_calls_do_no_harm(calls: Any) -> None:
    translated = translate([*HEAD, {"role": "assistant", "content": None, "tool_calls": calls}])
    assert translated[-1].kind is Kind.ACTION
