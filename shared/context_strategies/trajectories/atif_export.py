"""A trajectory as an ATIF document, which any tool that knows the format reads and which comes back here the same.

What the format has no field for (that a message is a demonstration, whose command an output is, the exact text of a
call's arguments) is noted under one key in the ``extra`` that it allows everywhere.
"""

import json
import re
from collections import deque
from collections.abc import Mapping
from typing import Any

from context_strategies.fields import MALFORMED, reason
from context_strategies.history import History, Kind, Message
from context_strategies.trajectories.atif_steps import OURS
from context_strategies.trajectories.model import Call, Refusal, Trajectory

VERSION = "ATIF-v1.7"
"""The oldest version with an ``extra`` beside every call and every result; 1.8 adds audio, of which there is none."""

SOURCES = {Kind.TASK: "user", Kind.DEMO: "user"}
"""Who says a message that is neither the agent's nor a result: the system, but for these."""

RENDERED = re.compile(r"(?:\A|\n)([^\s(]+)\(")
"""How a rendered call begins: on a line of its own. In valid arguments no other line begins so."""


def written(run: Trajectory) -> str | Refusal:
    """``run`` as one line of JSON. Lone surrogates, which no valid document holds, become question marks."""
    try:
        line = json.dumps(document(run), ensure_ascii=False, allow_nan=False)
    except MALFORMED as error:
        return Refusal(run.source, f"can't be written: {reason(error)}")
    return line.encode("utf-8", "replace").decode()


def document(run: Trajectory) -> dict[str, Any]:
    """``run`` in the shape of ATIF; ``ValueError`` where it has neither a message nor a call."""
    steps = _steps(run.history, run.calls)
    if not steps:
        raise ValueError("no message and no call, and ATIF has at least one step")
    used = [call.usage for call in run.calls if call.usage]
    totals: dict[str, float] = {"total_steps": len(steps)} | ({"total_cost_usd": run.cost} if run.cost else {})
    if used:
        totals["total_prompt_tokens"] = sum(usage.prompt for usage in used)
        totals["total_completion_tokens"] = sum(usage.output for usage in used)
        totals["total_cached_tokens"] = sum(usage.cached for usage in used)
    elif run.totals:
        totals["total_prompt_tokens"] = run.totals.prompt
        totals["total_completion_tokens"] = run.totals.output
    mark = {
        "format": run.format,
        "exit_status": run.exit_status,
        "condensed": run.condensed,
        "side_calls": [{"upto": call.upto} | _metrics(call) for call in run.side_calls],
        "lost": list(run.lost),
        "total_calls": run.totals.calls if run.totals else None,
    }
    return {
        "schema_version": VERSION,
        "session_id": run.id,
        "trajectory_id": run.id,
        "agent": {"name": run.format, "version": "unknown"} | ({"model_name": run.model} if run.model else {}),
        "steps": steps,
        "notes": "\n".join([f"Written by context-strategies from a recording of format {run.format}.", *run.lost]),
        "final_metrics": totals,
        "extra": {OURS: mark},
    }


def _steps(history: History, calls: tuple[Call, ...]) -> list[dict[str, Any]]:
    waiting = deque(sorted(calls, key=lambda call: call.upto))
    steps: list[dict[str, Any]] = []
    reply: dict[str, Any] | None = None
    for index, message in enumerate(history.messages):
        due = []
        while waiting and waiting[0].upto <= index:
            due.append(waiting.popleft())
        own = due.pop() if due and message.kind is Kind.ACTION else None
        if due:
            steps += map(_without_reply, due)
            reply = None
        if message.kind is Kind.ACTION:
            reply = _reply(message, own, _tools(history, index))
            steps.append(reply)
        elif message.kind is Kind.OBSERVATION and reply:
            reply.setdefault("observation", {"results": []})["results"].append(_result(message, reply))
        else:
            steps.append(_said(message))
            reply = None
    steps += map(_without_reply, waiting)
    return [{"step_id": number} | step for number, step in enumerate(steps, 1)]


def _without_reply(call: Call) -> dict[str, Any]:
    """A call whose reply the history doesn't hold: a wrong format, or a request that was made again."""
    noted = {"extra": {OURS: {"reply": False}}}
    return {"source": "agent", "message": "", "llm_call_count": 1} | _metrics(call) | noted


def _reply(message: Message, call: Call | None, tools: Mapping[str, str]) -> dict[str, Any]:
    step: dict[str, Any] = {"source": "agent"}
    mark = _mark(message)
    split = _split(message.text, message.call_ids)
    if split:
        step["message"], listed = split
    else:
        step["message"] = message.text
        listed = [_call(call_id, tools.get(call_id) or "unknown", {}) for call_id in message.call_ids]
        mark["whole"] = True
    if listed:
        step["tool_calls"] = listed
    if call:
        step |= {"llm_call_count": 1} | _metrics(call)
    else:
        mark["call"] = False
    return step | _extra(mark)


def _tools(history: History, index: int) -> dict[str, str]:
    """The tool behind each call of the action at ``index``, as far as its answers tell."""
    answers = history.messages[index + 1 : history.end_of(history.turn_of(index))]
    return {call_id: answer.tool for answer in answers for call_id in answer.call_ids}


def _split(text: str, call_ids: tuple[str, ...]) -> tuple[str, list[dict[str, Any]]] | None:
    """An action's text without its rendered calls, and these; None where they can't be told apart for sure."""
    calls: list[dict[str, Any]] = []
    rest, rendered = text, list[str]()
    for call_id in reversed(call_ids):
        found = next(iter(deque(RENDERED.finditer(rest), maxlen=1)), None)
        raw = rest[found.end() : -1] if found and rest.endswith(")") else "none"
        arguments = _parsed(raw)
        if found is None or arguments is None:
            return None
        calls.insert(0, _call(call_id, found[1], arguments, raw))
        rendered.insert(0, rest[found.start() :].removeprefix("\n"))
        rest = rest[: found.start()]
    whole = "\n".join(part for part in (rest, *rendered) if part)
    return (rest, calls) if whole == text else None


def _parsed(raw: str) -> dict[str, Any] | None:
    """Rendered arguments, where they are one JSON object that can be written again."""
    try:
        value = json.loads(raw or "{}")
        json.dumps(value, allow_nan=False)
        return value if isinstance(value, dict) else None
    except (RecursionError, ValueError):
        return None


def _call(call_id: str, name: str, arguments: dict[str, Any], raw: str | None = None) -> dict[str, Any]:
    same = raw is None or raw == (json.dumps(arguments) if arguments else "")
    noted = {} if same else {"arguments": raw}
    return {"tool_call_id": call_id, "function_name": name, "arguments": arguments} | _extra(noted)


def _said(message: Message) -> dict[str, Any]:
    """A step for what is neither a reply nor, in its place, an answer to one."""
    mark = _mark(message) | ({} if message.kind is Kind.TASK else {"kind": message.kind})
    if message.kind is Kind.OBSERVATION:
        return {
            "source": "system",
            "message": "",
            "observation": {"results": [{"content": message.text} | _extra(mark)]},
        }
    return {"source": SOURCES.get(message.kind, "system"), "message": message.text} | _extra(mark)


def _result(message: Message, reply: Mapping[str, Any]) -> dict[str, Any]:
    mark = _mark(message)
    ids = [call["tool_call_id"] for call in reply.get("tool_calls", ())]
    named = {}
    if len(message.call_ids) == 1 and message.call_ids[0] in ids:
        named["source_call_id"] = mark.pop("call_ids")[0]
    return named | {"content": message.text} | _extra(mark)


def _mark(message: Message) -> dict[str, Any]:
    """What of ``message`` has no field in the format."""
    mark: dict[str, Any] = {
        name: getattr(message, name)
        for name in ("tool", "command", "images", "failed", "tied", "gone")
        if getattr(message, name)
    }
    if message.tags:
        mark["tags"] = sorted(message.tags)
    if message.kind is not Kind.ACTION and message.call_ids:
        mark["call_ids"] = list(message.call_ids)
    return mark


def _extra(mark: Mapping[str, Any]) -> dict[str, Any]:
    return {"extra": {OURS: mark}} if mark else {}


def _metrics(call: Call) -> dict[str, Any]:
    metrics: dict[str, Any] = {}
    if call.usage:
        usage = call.usage
        metrics = {"prompt_tokens": usage.prompt, "completion_tokens": usage.output, "cached_tokens": usage.cached}
        if usage.written:
            metrics["extra"] = {"cache_creation_input_tokens": usage.written}
    if call.cost is not None:
        metrics["cost_usd"] = call.cost
    return {"metrics": metrics} if metrics else {}
