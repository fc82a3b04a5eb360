"""ATIF steps to messages, one after the other.

The specification gives an agent's step the results of its own calls, each naming its call. Producers differ: terminals
that answer several commands with one text, results in steps of their own, calls written with the next reply. A step
whose calls and results don't match one to one is read as text, answered by what comes next.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from context_strategies.commands import command_of, one_line
from context_strategies.fields import count, items, section, sequence, text, tokens
from context_strategies.history import Kind, Message
from context_strategies.messages import calls_of, decoded, text_of

Step = Mapping[str, Any]

OURS = "context_strategies"
"""The key, in any ``extra``, of what our own export notes beside the format's own fields."""

SAID = ("system", "user")
"""Whose steps may stand beside the agent's."""

HANDOFF = "Performed context summarization"
"""How Terminus 2 says that it has condensed, which it did before the format had a field for it."""


class Reader:
    """Collects the messages of one run and, in ``replies``, where each reply stands and its step.

    ``exact`` trusts call ids as they are: the document is our own export.
    """

    def __init__(self, *, exact: bool) -> None:
        self.messages: list[Message] = []
        self.replies: list[tuple[int, Step]] = []
        self.condensations = 0
        self._exact = exact
        self._acted = False
        self._handed_off = False
        self._counts = dict.fromkeys(("copied", "reasoning", "unnamed", "audio", "delegated"), 0)

    def add(self, step: Step) -> None:
        """Take the next step of the run; ``ValueError`` where it is none."""
        source, handed_off = step.get("source"), self._handed_off
        self._handed_off = False
        if source == "agent":
            self._agent(step)
        elif source not in SAID:
            raise ValueError(f"source is {one_line(str(source))}; known are: agent, system, user")
        elif not self._exact and _condenses(step):
            self.condensations += 1
            self._handed_off = not any(self._content(result.get("content"))[0] for result in _results(step))
        elif source == "system" or not handed_off:
            self._said(step, Kind.TASK if source == "user" else Kind.NOTE if self._acted else Kind.SYSTEM)

    def lost(self) -> Iterator[str]:
        """What the messages don't hold of the steps, or hold by assumption."""
        counts = self._counts
        if self.condensations:
            yield f"{count(self.condensations, 'condensation')} of the context left out: all that was condensed is here"
        if counts["copied"]:
            yield f"{count(counts['copied'], 'step')} copied from an earlier recording, whose calls are there"
        if counts["reasoning"]:
            yield f"the reasoning of {count(counts['reasoning'], 'step')} is here, sent back to the model or not"
        if counts["unnamed"]:
            yield f"{count(counts['unnamed'], 'step')} with calls that no result names: answered by what comes next"
        if counts["audio"]:
            yield f"{count(counts['audio'], 'part')} of audio left out"
        if counts["delegated"]:
            yield f"the work of {count(counts['delegated'], 'subagent')} left out: runs of their own"

    def _agent(self, step: Step) -> None:
        mark = section(step, "extra", OURS)
        copied = step.get("is_copied_context") is True
        self._counts["copied"] += copied
        if not copied and step.get("llm_call_count") != 0 and mark.get("call") is not False:
            self.replies.append((len(self.messages), step))
        if mark.get("reply") is False:
            return
        calls = calls_of({"tool_calls": [_call(call) for call in items(step.get("tool_calls") or [], "tool_calls")]})
        results = _results(step)
        ids = tuple(call_id for call_id, _, _ in calls)
        named = self._exact or set(ids) == {text(result.get("source_call_id")) for result in results}
        self._counts["unnamed"] += bool(calls and not named)
        self._acted = True
        said, images = self._content(step.get("message"))
        reasoning = text(step.get("reasoning_content"))
        reasoning = "" if reasoning in said else reasoning  # some producers write it in both places
        self._counts["reasoning"] += bool(reasoning)
        rendered = [] if mark.get("whole") is True else [f"{tool}({arguments})" for _, tool, arguments in calls]
        whole = "\n".join(part for part in (reasoning, said, *rendered) if part)
        self._append(Message(Kind.ACTION, whole, call_ids=ids if named else (), images=images), mark)
        inferred = () if self._exact else calls
        origins = {call_id: (tool, command_of(tool, arguments)) for call_id, tool, arguments in inferred}
        for result in results:
            self._result(result, Kind.OBSERVATION, origins, named=named)

    def _said(self, step: Step, kind: Kind) -> None:
        """What the system or the user said, and what came of operations that no model asked for."""
        said, images = self._content(step.get("message"))
        results = _results(step)
        if said or images or not results:
            self._append(Message(kind, said, images=images), section(step, "extra", OURS))
        for result in results:
            self._result(result, Kind.OBSERVATION if self._acted else Kind.NOTE, {}, named=False)

    def _result(
        self, result: Mapping[str, Any], kind: Kind, origins: Mapping[str, tuple[str, str]], *, named: bool
    ) -> None:
        said, images = self._content(result.get("content"))
        self._counts["delegated"] += len(
            sequence(result.get("subagent_trajectory_ref") or [], "subagent_trajectory_ref")
        )
        call_id = text(result.get("source_call_id"))
        tool, command = origins.get(call_id) or _joined(list(origins.values()))
        ids = (call_id,) if named and isinstance(result.get("source_call_id"), str) else ()
        message = Message(kind, said, None, ids, tool, command, images=images, decoded=decoded(said))
        self._append(message, section(result, "extra", OURS))

    def _append(self, message: Message, mark: Mapping[str, Any]) -> None:
        self.messages.append(replace(message, key=len(self.messages), **_restored(mark)))

    def _content(self, value: object) -> tuple[str, int]:
        """The text of a message or result, and how many images it holds."""
        if isinstance(value, list):
            self._counts["audio"] += sum(section(part).get("type") == "audio" for part in value)
        if value is None or isinstance(value, str | list):
            return text_of(value)
        return json.dumps(value), 0  # an object, against the specification


def _condenses(step: Step) -> bool:
    """Whether ``step`` says that the context was replaced or cut."""
    management = section(step, "extra", "context_management")
    if text(management.get("boundary")) in {"replace", "truncate"}:
        return True
    if text(management.get("type")) in {"compaction", "pruning"}:
        return True
    return step.get("source") == "system" and text(step.get("message")).startswith(HANDOFF)


def _results(step: Step) -> list[Mapping[str, Any]]:
    """The results of a step's observation; one that is a single result itself is taken as that."""
    observation = section(step, "observation")
    listed = observation.get("results")
    return items([observation] if observation and listed is None else listed or [], "observation.results")


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    """A call in the shape of a chat message's; some producers use that shape's names."""
    raw = section(call, "extra", OURS).get("arguments")
    function = {
        "name": call.get("function_name") or call.get("name"),
        "arguments": raw if isinstance(raw, str) else call.get("arguments"),
    }
    return {"id": call.get("tool_call_id") or call.get("id"), "function": function}


def _joined(origins: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """The tool and command of a result that may answer any of ``origins``."""
    tools = {tool for tool, _ in origins}
    return tools.pop() if len(tools) == 1 else "", one_line("; ".join(command for _, command in origins))


def _restored(mark: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a message that our export has noted."""
    fields: dict[str, Any] = {name: text(mark[name]) for name in ("tool", "command") if name in mark}
    fields |= {name: tokens(mark[name]) for name in ("images", "gone") if name in mark}
    fields |= {name: True for name in ("failed", "tied") if mark.get(name) is True}
    if "kind" in mark:
        fields["kind"] = Kind(text(mark["kind"]))
    if "tags" in mark:
        fields["tags"] = frozenset(map(text, sequence(mark["tags"], "tags")))
    if "call_ids" in mark:
        fields["call_ids"] = tuple(map(text, sequence(mark["call_ids"], "call_ids")))
    return fields
