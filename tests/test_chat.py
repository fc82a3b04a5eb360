import copy
from typing import Any

import pytest

from context_strategies import ConfigError, Kind, choose
from context_strategies.chat import Manager, text_of, thinking_of, translate
from context_strategies.history import IMAGE_TOKENS

OUTPUT = "a line of output\n" * 40


def call(call_id: str, command: str, text: str | None = None) -> dict[str, Any]:
    function = {"name": "bash", "arguments": f'{{"command": "{command}"}}'}
    calls = [{"id": call_id, "type": "function", "function": function}]
    return {"role": "assistant", "content": text, "tool_calls": calls}


def answer(call_id: str, content: Any = OUTPUT) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


HEAD = [{"role": "system", "content": "You fix bugs."}, {"role": "user", "content": "Fix it."}]


def loop(turns: int) -> list[dict[str, Any]]:
    messages = copy.deepcopy(HEAD)
    for n in range(turns):
        messages += [call(f"call_{n}", f"cat {n}.py"), answer(f"call_{n}")]
    return messages


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


def test_a_manager_masks_copies_and_sends_the_rest_as_it_is() -> None:
    messages = loop(4)
    before = copy.deepcopy(messages)
    sent = Manager("masking:window=2,refresh=1")(messages)
    assert messages == before
    assert [new is old for new, old in zip(sent, messages, strict=True)] == [n not in {3, 5} for n in range(10)]
    assert sent[3] == {**messages[3], "content": sent[3]["content"]}
    assert sent[3]["content"].startswith('[Output of "cat 0.py" hidden: 40 lines')


def test_a_list_of_parts_stays_one() -> None:
    parts = [{"type": "text", "text": OUTPUT}, {"type": "image_url", "image_url": {"url": "x"}}]
    messages = [*HEAD, call("a", "ls"), answer("a", parts), call("b", "ls"), answer("b")]
    sent = Manager("masking:window=1,refresh=1,placeholder='[{size}]'")(messages)
    assert sent[3]["content"] == [{"type": "text", "text": "[40 lines, 680 characters, 1 image]"}]


def test_a_summary_is_the_users_message() -> None:
    sent = Manager("rolling_summary")(loop(4))
    assert [message["role"] for message in sent] == ["system", "user", "user", *["assistant", "tool"] * 2]
    assert sent[2]["content"].startswith("[Summary of turns 1 to 2")


def test_a_growing_list_goes_on_and_another_starts_anew() -> None:
    manager = Manager("masking:window=1,refresh=1")
    for turns in range(6):
        manager(loop(turns))
    assert manager.session.history.turns == 5
    manager([*HEAD[:1], {"role": "user", "content": "Something else."}, *loop(2)[2:]])
    assert manager.session.history.turns == 2
    assert manager(loop(1)) == loop(1)


def test_the_same_list_gives_the_same_messages() -> None:
    manager = Manager("hybrid:window=1,every=2,refresh=1")
    for turns in range(7):
        sent = manager(loop(turns))
        assert manager(loop(turns)) == sent
        assert Manager("hybrid:window=1,every=2,refresh=1")(loop(turns)) == sent


def test_marks_that_a_host_sets_later_start_no_new_conversation() -> None:
    messages = loop(3)
    manager = Manager("masking:window=1,refresh=1")
    manager(messages)
    messages[-1]["cache_control"] = {"type": "ephemeral"}
    messages += loop(4)[-2:]
    sent = manager(messages)
    assert manager.session.history.turns == 4
    assert sent[7]["cache_control"] == {"type": "ephemeral"}


def test_the_strategy_may_be_named_configured_or_made() -> None:
    for strategy in ("raw", {"type": "raw"}, choose("raw")):
        assert Manager(strategy)(loop(1)) == loop(1)
    with pytest.raises(ConfigError, match="unknown strategy"):
        Manager("nothing")
