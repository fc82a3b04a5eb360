"""What a scripted model answers: steps, and the chat message each becomes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SHELL = ""
"""A call's tool where the client's own shell tool is meant, whatever it is called."""

SHELL_TOOLS = ("bash", "terminal", "execute_bash", "shell")


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call; for the shell, ``arguments`` holds the ``command``."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """One answer: calls with a thought, or a text, or an HTTP error, or none at all.

    ``reasoning`` is thinking apart from the text, ``thinking`` in blocks that go back to the model. ``finish``
    overrides the finish reason. ``status`` above 200 makes an error with ``code`` and ``text`` as its message.
    ``hangs`` never answers.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    reasoning: str = ""
    finish: str = ""
    status: int = 200
    code: str = ""
    hangs: bool = False
    thinking: str = ""


def run(command: str, thought: str = "", reasoning: str = "") -> Step:
    """Run a command in the client's shell tool, or in a fenced block where the client offers no tools."""
    return Step(thought, (Call(SHELL, {"command": command}),), reasoning)


def call(tool: str, thought: str = "", /, **arguments: Any) -> Step:
    """Call a tool by name."""
    return Step(thought, (Call(tool, arguments),))


def parallel(*steps: Step, thought: str = "") -> Step:
    """The calls of several steps in one answer."""
    return Step(thought, tuple(call for step in steps for call in step.calls))


def say(text: str) -> Step:
    """Answer with plain text, as it is; empty text makes an empty answer."""
    return Step(text)


def too_long(characters: int = 100_000) -> Step:
    """An answer that the output limit has cut off."""
    return Step(("word " * (characters // 5 + 1))[:characters], finish="length")


def fail(status: int, message: str = "scripted error", code: str = "") -> Step:
    """Answer with an HTTP error."""
    return Step(message, status=status, code=code)


def context_exceeded() -> Step:
    """Refuse the request as too long for the model."""
    return fail(400, "This model's maximum context length is exceeded by your messages.", "context_length_exceeded")


def hang() -> Step:
    """Never answer."""
    return Step(hangs=True)


def step_of(data: Mapping[str, Any]) -> Step:
    """A step from JSON: ``run``, ``call`` (with ``arguments``), ``parallel`` (a list), ``say``, ``fail`` or ``hang``.

    ``thought`` and ``reasoning`` go with the first three, ``message`` and ``code`` with ``fail``. Raises ``ValueError``
    for anything else.

    >>> step_of({"run": "ls", "thought": "Look."}) == run("ls", "Look.")
    True
    """
    match data:
        case {"run": str(command), **rest}:
            step = run(command)
        case {"call": str(tool), **rest}:
            step = Step(calls=(Call(tool, dict(rest.pop("arguments", {}))),))
        case {"parallel": [*steps], **rest}:
            step = parallel(*map(step_of, steps))
        case {"say": str(text), **rest}:
            return _only(say(text), rest)
        case {"fail": int(status), **rest}:
            return _only(fail(status, str(rest.pop("message", "scripted error")), str(rest.pop("code", ""))), rest)
        case {"hang": True, **rest}:
            return _only(hang(), rest)
        case _:
            raise ValueError(f"no step: {json.dumps(data)[:200]}; give run, call, parallel, say, fail or hang")
    return _only(Step(str(rest.pop("thought", "")), step.calls, str(rest.pop("reasoning", ""))), rest)


def _only(step: Step, rest: Mapping[str, Any]) -> Step:
    if rest:
        raise ValueError(f"unknown key {min(rest)!r} in a step")
    return step


def message_of(step: Step, tools: Sequence[Mapping[str, Any]], fence: str, prefix: str) -> tuple[dict[str, Any], str]:
    """The chat message that ``step`` is to a client with these ``tools``, and its finish reason.

    Without tools, calls become fenced blocks, one line of words for a named tool. ``prefix`` starts the calls' ids.
    """
    message: dict[str, Any] = {"role": "assistant", "content": step.text}
    if step.reasoning:
        message["reasoning_content"] = step.reasoning
    if step.thinking:
        message["thinking_blocks"] = [{"type": "thinking", "thinking": step.thinking, "signature": "scripted"}]
    if step.calls and not tools:
        blocks = [f"```{fence}\n{_words(call)}\n```" for call in step.calls]
        message["content"] = "\n\n".join(part for part in (step.text, *blocks) if part)
    elif step.calls:
        shell = _shell(tools)
        message["tool_calls"] = [
            {
                "id": f"{prefix}_{index}",
                "type": "function",
                "function": {"name": call.tool or shell, "arguments": json.dumps(dict(call.arguments))},
            }
            for index, call in enumerate(step.calls)
        ]
    return message, step.finish or ("tool_calls" if "tool_calls" in message else "stop")


def _shell(tools: Sequence[Mapping[str, Any]]) -> str:
    names = [str((tool.get("function") or {}).get("name") or "") for tool in tools]
    return next((name for name in SHELL_TOOLS if name in names), SHELL_TOOLS[0])


def _words(call: Call) -> str:
    return " ".join(part for part in (call.tool, *map(str, call.arguments.values())) if part)
