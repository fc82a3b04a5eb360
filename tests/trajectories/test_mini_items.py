from typing import Any

import pytest

from context_strategies.history import Kind
from context_strategies.messages import decoded
from context_strategies.trajectories.mini_items import ItemTranslator

Item = dict[str, Any]

START: list[Item] = [{"role": "system", "content": "You fix bugs."}, {"role": "user", "content": "Fix it."}]


def kinds(items: list[Item]) -> list[Kind]:
    translate = ItemTranslator()
    return [translate(item, key).kind for key, item in enumerate(items)]


def user(content: str, **extra: Any) -> Item:
    return {"role": "user", "content": content, "extra": extra}


def called(call_id: str) -> Item:
    call = {"id": call_id, "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def answered(call_id: str) -> Item:
    return {"role": "tool", "content": "a.py", "tool_call_id": call_id, "extra": {"returncode": 0}}


def test_a_wrong_format_is_a_note_that_failed() -> None:
    translate = ItemTranslator()
    messages = [
        translate(item, key) for key, item in enumerate([*START, user("No call.", interrupt_type="FormatError")])
    ]
    assert (messages[-1].kind, messages[-1].failed) == (Kind.NOTE, True)


@pytest.mark.parametrize("kind", ["UserInterruption", "UserRejection", "UserNewTask"])
def test_the_users_own_word_is_the_task_with_and_without_tool_calls(kind: str) -> None:
    word = user("Not that file.", interrupt_type=kind)
    said = {"role": "assistant", "content": "```bash\nls\n```"}
    assert kinds([*START, called("a"), answered("a"), word])[-1] is Kind.TASK
    assert kinds([*START, said, user("a.py", returncode=0), word])[2:] == [Kind.ACTION, Kind.OBSERVATION, Kind.TASK]


def test_a_command_of_the_user_has_an_output() -> None:
    own = user("User command: \n```bash\nls\n```", actions=[{"command": "ls"}])
    assert kinds([*START, called("a"), answered("a"), own, user("b.py", returncode=0)])[-2:] == [
        Kind.TASK,
        Kind.OBSERVATION,
    ]


def test_messages_of_the_responses_api() -> None:
    reply = {
        "object": "response",
        "output": [
            {"type": "reasoning", "summary": []},
            {"type": "message", "content": [{"type": "output_text", "text": "Look."}]},
            {"type": "function_call", "call_id": "c", "name": "bash", "arguments": '{"command": "ls"}'},
        ],
    }
    output = {"type": "function_call_output", "call_id": "c", "output": "a.py"}
    translate = ItemTranslator()
    messages = [translate(item, key) for key, item in enumerate([*START, reply, output])]
    assert messages[2].text == 'Look.\nbash({"command": "ls"})'
    assert (messages[3].kind, messages[3].call_ids, messages[3].command) == (Kind.OBSERVATION, ("c",), "ls")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ('{\n  "returncode": 0,\n  "output": "a.py\\nb.py \\u003ckeep\\u003e\\n"\n}', "0\na.py\nb.py <keep>\n"),
        ('{"output_head": "a\\nb", "output_tail": "c", "elided_chars": 7}', "a\nb\nc\n7"),
        ('{"name": "x"}', '{"name": "x"}'),
        ('{"returncode": 0', '{"returncode": 0'),
        ("[" * 100_000, "[" * 100_000),
        ("{" + '"a":{' * 100_000, "{" + '"a":{' * 100_000),
    ],
)
def test_an_output_in_json_is_read_as_what_was_printed(text: str, plain: str) -> None:
    assert (decoded(text) or text) == plain
    translate = ItemTranslator()
    items = [*START, called("a"), {**answered("a"), "content": text}]
    message = [translate(item, key) for key, item in enumerate(items)][-1]
    assert (message.text, message.plain) == (text, plain)


@pytest.mark.parametrize("extra", [None, [], "x", {"interrupt_type": None}])
def test_an_odd_extra_does_no_harm(extra: Any) -> None:
    assert kinds([*START, {"role": "user", "content": None, "extra": extra}, {"role": "exit"}])[2] is Kind.TASK
