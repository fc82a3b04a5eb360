"""Dumps of model calls, as OpenHands V0 and V1 write them: one file a call, with its request and its response.

A request that goes on where the one before it ended belongs to the same run. Where the scaffold hid outputs, the
messages still stand in their places, and the text that was sent first is kept; where it cut messages out, a new run
begins.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from context_strategies.fields import at, count, dollars, items, mapping, section, stem, text
from context_strategies.history import History
from context_strategies.messages import ChatMessage, calls_of, reply_of, text_of, translate
from context_strategies.trajectories.model import Trajectory
from context_strategies.trajectories.records import Record, tally, to_calls

NAME = "completions"


@dataclass(frozen=True, slots=True)
class Exchange:
    """One call: what was sent, what came back, and what it used."""

    time: float
    model: str
    messages: tuple[ChatMessage, ...]
    reply: ChatMessage
    record: Record


@dataclass(slots=True)
class Run:
    """Calls of one conversation: its messages so far, as they were first sent, and the replies to the last of them.

    There are several replies where the last request was made again.
    """

    messages: list[ChatMessage]
    model: str
    replies: list[ChatMessage] = field(default_factory=list)
    calls: list[tuple[int, Record]] = field(default_factory=list)
    hidden: set[int] = field(default_factory=set)


def claims_part(value: object) -> bool:
    """Whether ``value`` is a logged call: a list of chat messages and the response to it."""
    call = section(value)
    return isinstance(call.get("messages"), list) and isinstance(call.get("response"), dict)


def parse_parts(values: Iterable[tuple[str, Any]], source: str) -> Iterator[Trajectory]:
    """The runs that the calls ``values`` make up; ``ValueError`` names the file that is no such call."""
    pool: dict[str, ChatMessage] = {}
    exchanges = []
    for name, value in values:
        with at(name):
            exchanges.append(_exchange(mapping(value, "it"), pool))
    exchanges.sort(key=lambda exchange: exchange.time)  # stable: without times, the order of names
    runs: list[Run] = []
    for exchange in exchanges:
        _add(exchange, runs)
    for number, run in enumerate(runs, 1):
        yield _trajectory(run, number, len(runs), source)


def _exchange(value: Mapping[str, Any], pool: dict[str, ChatMessage]) -> Exchange:
    """One call. Each request repeats those before it: a message that ``pool`` holds already is taken from there."""
    messages = tuple(_pooled(message, pool) for message in items(value.get("messages"), "messages"))
    response = section(value, "response")
    reply = reply_of(value.get("raw_response") or response, "response")  # raw: before text became tool calls
    record = Record(text(response.get("id")), tally(response.get("usage")), dollars(value.get("cost")))
    time = value.get("timestamp")
    time = float(time) if isinstance(time, int | float) else 0.0
    return Exchange(time, text(response.get("model")), messages, reply, record)


def _pooled(message: Mapping[str, Any], pool: dict[str, ChatMessage]) -> ChatMessage:
    """``message`` without its cache marks."""
    items(message.get("tool_calls") or [], "tool_calls")
    plain = {name: value for name, value in message.items() if name != "cache_control"}
    if isinstance(plain.get("content"), list):
        plain["content"] = [_unmarked(part) for part in plain["content"]]
    return pool.setdefault(json.dumps(plain, sort_keys=True), plain)


def _unmarked(part: Any) -> Any:
    return {name: value for name, value in part.items() if name != "cache_control"} if isinstance(part, dict) else part


def _add(exchange: Exchange, runs: list[Run]) -> None:
    """Let ``exchange`` go on the longest run that it can, or begin a new one."""
    fitting = [run for run in runs if _continues(exchange.messages, run)]
    if fitting:
        run = max(fitting, key=lambda run: len(run.messages))
        run.hidden.update(i for i, message in enumerate(run.messages) if message is not exchange.messages[i])
        added = exchange.messages[len(run.messages) :]
        run.messages.extend(added)
        run.replies = [] if added else run.replies
    else:
        run = Run(list(exchange.messages), exchange.model)
        runs.append(run)
    run.replies.append(exchange.reply)
    run.calls.append((len(exchange.messages), exchange.record))


def _continues(request: Sequence[ChatMessage], run: Run) -> bool:
    """Whether ``request`` holds all of the run in its place, changed in the text of outputs at most, and then a reply.

    Instead of a reply there may be nothing (the same request again), or one word about a reply that was discarded.
    """
    added = request[len(run.messages) :]
    if len(request) < len(run.messages):
        return False
    if added and added[0].get("role") == "assistant":
        if not any(_call_ids(added[0]) == _call_ids(reply) for reply in run.replies):
            return False
    elif len(added) > 1:
        return False
    pairs = zip(request, run.messages, strict=False)
    return all(new is old or _same_place(new, old, index) for index, (new, old) in enumerate(pairs))


def _call_ids(message: ChatMessage) -> list[str]:
    return [call_id for call_id, _, _ in calls_of(message)]


def _same_place(new: ChatMessage, old: ChatMessage, index: int) -> bool:
    if new.get("role") != old.get("role") or new.get("tool_call_id") != old.get("tool_call_id"):
        return False
    if calls_of(new) != calls_of(old):
        return False
    is_output = new.get("role") == "tool" or (new.get("role") == "user" and index > 1)
    return is_output or text_of(new.get("content")) == text_of(old.get("content"))


def _trajectory(run: Run, number: int, total: int, source: str) -> Trajectory:
    with at(f"conversation {number}"):
        history = History(translate([*run.messages, run.replies[-1]]))
    (calls,) = to_calls(run.calls)
    costs = [call.cost for call in calls]
    before = sum(message.get("role") == "assistant" for message in run.messages[: run.calls[0][0]])
    lost = ["the definitions of the tools, part of every prompt, are not in the history"]
    if total > 1:
        lost.append(f"the folder holds {total} conversations, or one that was condensed; this is number {number}")
    if before:
        lost.append(f"{count(before, 'earlier call')} without a file, known from the first request alone")
    if run.hidden:
        lost.append(f"{count(len(run.hidden), 'message')} sent anew with other text; the first is kept")
    return Trajectory(
        id=stem(source) + (f"#{number}" if total > 1 else ""),
        source=source,
        format=NAME,
        model=run.model,
        history=history,
        calls=calls,
        condensed=bool(run.hidden),
        cost=sum(cost or 0 for cost in costs) if any(costs) else None,
        lost=tuple(lost),
    )
