"""mini-swe-agent: 1.x (commands in fenced text), 2.x (tool calls, both of OpenAI's APIs), plain lists of messages.

The list it stores is what it sends, except for its last message: what the run ended with. A reply in a wrong format
stays in the list in 1.x; 2.x keeps only the answer to it, with the usage of the call.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from context_strategies.fields import at, count, dollars, mapping, section, sequence, stem, text, tokens
from context_strategies.history import History, Kind, Message
from context_strategies.prices import Usage
from context_strategies.trajectories.mini_items import ItemTranslator
from context_strategies.trajectories.model import Call, Trajectory
from context_strategies.usage import usage_of

NAME = "mini-swe-agent"

Record = Mapping[str, Any]

ROLES = frozenset({"system", "user", "assistant", "tool"})
FORMAT_ERROR = "Please always provide EXACTLY ONE action in triple backticks"
MIN_START = 20
SUBMISSIONS = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")


def claims(value: object) -> bool:
    """Whether ``value`` is a list of chat messages, or has one beside ``info``."""
    if isinstance(value, dict):
        return isinstance(value.get("info"), dict) and isinstance(value.get("messages"), list)
    first = value[0] if isinstance(value, list) and value else None
    return isinstance(first, dict) and text(first.get("role")) in ROLES and "content" in first


def parse(value: Any, source: str) -> Iterator[Trajectory]:
    """The one run that a file holds."""
    record: Record = {"messages": value} if isinstance(value, list) else value
    info = section(record, "info")
    shown = section(info, "context")  # what our plugin adds
    listed = [mapping(item, f"messages[{index}]") for index, item in enumerate(record["messages"])]
    sent = listed[:-1] if _ends_unsent(listed, info) else listed
    history = History(_messages(sent, _error_start(info)))
    calls = tuple(_calls(sent))
    answers = sum(message.kind is Kind.ACTION for message in history.messages)
    yield Trajectory(
        id=text(record.get("instance_id")) or stem(source),
        source=source,
        format=NAME,
        model=text(section(info, "config", "model").get("model_name")),
        history=history,
        calls=calls,
        exit_status=text(info.get("exit_status")),
        condensed=tokens(shown.get("tokens_after")) < tokens(shown.get("tokens_before")),
        cost=dollars(section(info, "model_stats").get("instance_cost")),
        side_calls=tuple(_summaries(sent)),
        lost=tuple(_lost(info, listed, len(sent), len(calls), answers)),
    )


def _ends_unsent(listed: Sequence[Record], info: Record) -> bool:
    """Whether the last message is the run's result: marked as such in 2.x, a user message like any other in 1.x."""
    last = listed[-1] if listed else {}
    if last.get("role") == "exit":
        return True
    if last.get("role") != "user":
        return False
    before = listed[-2] if len(listed) > 1 else {}
    submitting = before.get("role") == "assistant" and any(mark in text(before.get("content")) for mark in SUBMISSIONS)
    return submitting or (bool(info.get("exit_status")) and last.get("content") == info.get("submission"))


def _error_start(info: Record) -> str:
    """How the answer to a wrong format begins: the fixed start of the run's own template, if that says enough."""
    config = section(info, "config")
    template = section(config, "agent").get("format_error_template")
    start = text(template).partition("{")[0].strip()
    return start if len(start) >= MIN_START else FORMAT_ERROR


def _messages(sent: Sequence[Record], error_start: str) -> list[Message]:
    translate = ItemTranslator()
    messages: list[Message] = []
    for index, item in enumerate(sent):
        with at(f"messages[{index}]"):
            message = translate(item, index)
            if message.kind is Kind.OBSERVATION and not message.call_ids and message.text.startswith(error_start):
                message = Message(Kind.NOTE, message.text, index, failed=True)
                messages[-1] = replace(messages[-1], failed=True)
            messages.append(message)
    return messages


def _calls(sent: Sequence[Record]) -> Iterator[Call]:
    """One call for each reply, and for each answer of 2.x to a reply that it did not keep."""
    for index, item in enumerate(sent):
        extra = section(item, "extra")
        reply = item.get("role") == "assistant" or item.get("object") == "response"
        if not reply and extra.get("interrupt_type") != "FormatError":
            continue
        usage = section(item, "usage") or section(extra, "response", "usage")
        cost = dollars(extra.get("cost")) or dollars(usage.get("cost")) or 0.0
        summaries = dollars(section(extra, "context").get("summary_cost")) or 0.0  # our plugin adds it to the call's
        yield Call(index, usage_of(usage), dollars(cost - summaries))


def _summaries(sent: Sequence[Record]) -> Iterator[Call]:
    """What our plugin noted of its summaries: one call for all that a reply was made with."""
    for index, item in enumerate(sent):
        note = section(item, "extra", "context")
        used = sequence(note.get("summary_usage") or [], f"messages[{index}].extra.context.summary_usage")
        parts = (sum(tokens(section(one).get(part.name)) for one in used) for part in fields(Usage))
        usage, cost = Usage(*parts), dollars(note.get("summary_cost"))
        if cost or usage.prompt:
            yield Call(index, usage if usage.prompt else None, cost)


def _lost(info: Record, listed: Sequence[Record], sent: int, calls: int, answers: int) -> Iterator[str]:
    recorded = tokens(section(info, "model_stats").get("api_calls"))
    if sent < len(listed):
        yield "the last message, what the run ended with, was never sent to the model"
    if calls > answers:
        yield f"{count(calls - answers, 'call')} replied to in a wrong format, and the reply was not kept"
    if recorded > calls:
        yield f"{count(recorded - calls, 'call')} of {recorded} without a message"
