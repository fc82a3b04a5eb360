import json
import subprocess
import sys
import time
from dataclasses import replace
from http.client import HTTPConnection, RemoteDisconnected
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from context_strategies.summarizers.base import SummaryRequest
from context_strategies.summarizers.prompt import render
from context_strategies.testing import (
    ScriptedModel,
    call,
    context_exceeded,
    fail,
    hang,
    parallel,
    run,
    say,
    step_of,
    too_long,
)

SHELL = [{"type": "function", "function": {"name": "terminal", "parameters": {}}}]
USER = {"role": "user", "content": "Fix it."}


def send(url: str, body: bytes, timeout: float = 5) -> tuple[int, str]:
    connection = HTTPConnection(urlsplit(url).netloc, timeout=timeout)
    try:
        connection.request("POST", "/v1/chat/completions", body)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def post(model: ScriptedModel, messages: list[dict[str, Any]], timeout: float = 5, **body: Any) -> dict[str, Any]:
    status, text = send(model.url, json.dumps({"model": "m", "messages": messages, **body}).encode(), timeout)
    assert status == 200
    answer: dict[str, Any] = json.loads(text)
    return answer


def refused(model: ScriptedModel, messages: list[dict[str, Any]]) -> tuple[int, dict[str, Any]]:
    status, text = send(model.url, json.dumps({"model": "m", "messages": messages}).encode())
    assert status >= 400
    return status, json.loads(text)["error"]


def message(response: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = response["choices"][0]["message"]
    return answer


def test_a_command_uses_the_clients_own_shell_tool() -> None:
    with ScriptedModel([run("ls", "Look.")]) as model:
        answer = message(post(model, [USER], tools=SHELL))
    function = answer["tool_calls"][0]["function"]
    assert answer["content"] == "Look."
    assert (function["name"], json.loads(function["arguments"])) == ("terminal", {"command": "ls"})


def test_a_client_without_tools_gets_a_fenced_block() -> None:
    with ScriptedModel([run("ls", "Look.")], fence="mswea_bash_command") as model:
        assert message(post(model, [USER]))["content"] == "Look.\n\n```mswea_bash_command\nls\n```"


def test_a_tool_may_have_an_argument_that_is_called_like_a_parameter() -> None:
    with ScriptedModel([call("think", thought="hm", tool="x")]) as model:
        function = message(post(model, [USER], tools=SHELL))["tool_calls"][0]["function"]
    assert json.loads(function["arguments"]) == {"thought": "hm", "tool": "x"}


def test_parallel_calls_have_ids_of_their_own() -> None:
    with ScriptedModel([parallel(run("ls"), call("finish", message="x"))]) as model:
        answers = [message(post(model, [USER], tools=SHELL))["tool_calls"] for _ in range(2)]
    assert len({each["id"] for answer in answers for each in answer}) == 4
    assert [each["function"]["name"] for each in answers[0]] == ["terminal", "finish"]


def test_each_conversation_has_its_own_script_and_the_last_step_repeats() -> None:
    with ScriptedModel({"a": [say("a1"), say("a2")], "default": [say("d")]}) as model:
        asked = ["TASK-ID: a", "other", "TASK-ID: a", "TASK-ID: a"]
        texts = [message(post(model, [{"role": "user", "content": text}]))["content"] for text in asked]
    assert texts == ["a1", "d", "a2", "a2"]
    assert [(record.conversation, record.step) for record in model.log] == [
        ("a", 0),
        ("default", 0),
        ("a", 1),
        ("a", 2),
    ]


def test_errors_take_a_step_and_are_logged() -> None:
    with ScriptedModel([fail(429, "slow down"), context_exceeded(), say("")]) as model:
        assert refused(model, [USER]) == (429, {**refused_error("slow down"), "code": None})
        assert refused(model, [USER])[1]["code"] == "context_length_exceeded"
        assert message(post(model, [USER]))["content"] == ""
    assert [record.status for record in model.log] == [429, 400, 200]


def refused_error(text: str) -> dict[str, Any]:
    return {"message": text, "type": "invalid_request_error", "param": None}


def test_a_too_long_answer_says_it_was_cut() -> None:
    with ScriptedModel([too_long(5_000)]) as model:
        choice = post(model, [USER])["choices"][0]
    assert (len(choice["message"]["content"]), choice["finish_reason"]) == (5_000, "length")


def test_reasoning_is_apart_from_the_text() -> None:
    with ScriptedModel([run("ls", "Look.", "I wonder.")]) as model:
        assert message(post(model, [USER]))["reasoning_content"] == "I wonder."


def test_a_request_that_hangs_ends_with_the_client_or_the_server() -> None:
    with ScriptedModel([hang()]) as model:
        with pytest.raises(TimeoutError):
            post(model, [USER], timeout=0.2)
        assert model.log[0].response == {}
        started = time.monotonic()
    assert time.monotonic() - started < 2


def test_it_stops_by_itself() -> None:
    with ScriptedModel([hang()], seconds=0.3) as model, pytest.raises(RemoteDisconnected):
        post(model, [USER])
    with pytest.raises(ConnectionError):
        post(model, [USER])


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ([USER, {"role": "tool", "tool_call_id": "x", "content": "a"}], "must be a response"),
        ([USER, {"role": "assistant", "tool_calls": [{"id": "x"}]}, USER], "without response"),
        ([USER, {"role": "assistant", "tool_calls": [{"id": "x"}]}], "without response"),
    ],
)
def test_calls_and_answers_without_each_other_are_refused(messages: list[dict[str, Any]], reason: str) -> None:
    with ScriptedModel([say("fine")]) as model:
        status, error = refused(model, messages)
    assert status == 400
    assert reason in error["message"]
    with ScriptedModel([say("fine")], strict=False) as model:
        assert message(post(model, messages))["content"] == "fine"


def test_a_request_that_is_too_long_takes_no_step() -> None:
    with ScriptedModel([say("first")], max_characters=100) as model:
        assert refused(model, [{"role": "user", "content": "x" * 101}])[1]["code"] == "context_length_exceeded"
        assert message(post(model, [USER]))["content"] == "first"


def test_a_message_of_one_text_part_is_cached_as_its_text() -> None:
    part = {"type": "text", "text": "Fix it.", "cache_control": {"type": "ephemeral"}}
    with ScriptedModel([say("a")]) as model:
        post(model, [{**USER, "content": [part]}])
        post(model, [USER, {"role": "user", "content": "More."}])
    assert [record.prefix_messages for record in model.log] == [0, 1]


def test_the_cached_part_is_the_common_message_prefix_whatever_the_cache_marks() -> None:
    system = {"role": "system", "content": "s" * 400}
    marked: dict[str, Any] = {
        "role": "user",
        "content": [{"type": "text", "text": "u" * 400, "cache_control": {"type": "ephemeral"}}],
    }
    bare = {"role": "user", "content": [{"type": "text", "text": "u" * 400}]}
    talks: list[list[dict[str, Any]]] = [[system, marked], [system, bare, USER], [system, USER]]
    with ScriptedModel([say("ok")]) as model:
        used = [post(model, messages)["usage"]["prompt_tokens_details"]["cached_tokens"] for messages in talks]
        other_tools = post(model, [system, bare], tools=SHELL)["usage"]["prompt_tokens_details"]["cached_tokens"]
    assert used == [0, 200, 100]
    assert other_tools == 0
    assert [record.marks for record in model.log] == [(1,), (), (), ()]
    assert [record.prefix_messages for record in model.log] == [0, 2, 1, 0]


def test_the_projects_own_summary_request_is_told_from_the_agents() -> None:
    system, user = render(SummaryRequest("TASK-ID: a", "", (), 1, 1), 4_000)
    asking = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    with ScriptedModel({"a": [say("agent")]}, summaries=[say("one"), fail(500)]) as model:
        assert message(post(model, asking))["content"] == "one"
        assert message(post(model, [{"role": "user", "content": "TASK-ID: a"}]))["content"] == "agent"
        assert refused(model, asking)[0] == 500
    assert [(record.kind, record.step) for record in model.log] == [("summary", 0), ("agent", 0), ("summary", 1)]


def test_a_stream_is_one_chunk() -> None:
    with ScriptedModel([run("ls")]) as model:
        body = json.dumps({"messages": [USER], "tools": SHELL, "stream": True}).encode()
        first, _, end, *_ = send(model.url, body)[1].split("\n")
    delta = json.loads(first.removeprefix("data: "))["choices"][0]["delta"]
    assert delta["tool_calls"][0]["index"] == 0
    assert end == "data: [DONE]"


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"messages": [1]}', b'{"messages": {}}'])
def test_a_body_that_is_no_chat_request_is_refused(body: bytes) -> None:
    with ScriptedModel([say("x")]) as model:
        assert send(model.url, body)[0] == 400
    assert model.log == []


@pytest.mark.parametrize(
    ("data", "step"),
    [
        ({"run": "ls", "thought": "t", "reasoning": "r"}, run("ls", "t", "r")),
        ({"call": "finish", "arguments": {"message": "x"}}, call("finish", message="x")),
        ({"parallel": [{"run": "a"}, {"run": "b"}], "thought": "t"}, parallel(run("a"), run("b"), thought="t")),
        ({"say": "x"}, say("x")),
        ({"fail": 429, "message": "m", "code": "c"}, fail(429, "m", "c")),
        ({"hang": True}, hang()),
    ],
)
def test_steps_from_json(data: dict[str, Any], step: object) -> None:
    assert step_of(data) == step


@pytest.mark.parametrize("data", [{"rum": "ls"}, {"run": "ls", "though": "x"}, {"hang": True, "x": 1}, {"fail": "429"}])
def test_a_misspelt_step_is_an_error(data: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="step"):
        step_of(data)


def test_the_command_serves_until_its_input_closes(tmp_path: Path) -> None:
    script, log = tmp_path / "script.json", tmp_path / "log.jsonl"
    script.write_text('[{"say": "hello"}]')
    command = [sys.executable, "-m", "context_strategies.testing", str(script), "--log", str(log), "--seconds", "20"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        url = process.stdout.readline().strip()
        body = json.dumps({"messages": [USER]}).encode()
        assert message(json.loads(send(url, body)[1]))["content"] == "hello"
        process.stdin.close()
        assert process.wait(10) == 0
    assert json.loads(log.read_text())["status"] == 200


def test_it_lists_its_model() -> None:
    with ScriptedModel([say("x")]) as model:
        connection = HTTPConnection(urlsplit(model.url).netloc, timeout=5)
        connection.request("GET", "/v1/models")
        assert [one["id"] for one in json.load(connection.getresponse())["data"]] == ["scripted"]
        connection.close()


def test_a_conversation_without_a_script_is_not_found() -> None:
    with ScriptedModel({"a": [say("x")]}) as model:
        status, error = refused(model, [{"role": "user", "content": "TASK-ID: b"}])
    assert status == 404
    assert error["message"] == "no script for agent requests of conversation 'b'"


def test_thinking_comes_as_blocks() -> None:
    with ScriptedModel([replace(say("x"), thinking="I see.")]) as model:
        (block,) = message(post(model, [USER]))["thinking_blocks"]
    assert (block["type"], block["thinking"]) == ("thinking", "I see.")
