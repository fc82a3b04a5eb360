"""OpenHands V1 events to messages, one after the other."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from context_strategies.fields import count, mapping, section, sequence, text
from context_strategies.history import Kind, Message
from context_strategies.messages import Translator, text_of
from context_strategies.trajectories.openhands import shell_output

Event = Mapping[str, Any]

ROOT = "__root__"
TOOL_CHARS = 50_000
SHELL_CHARS = 30_000
"""Where the scaffold cuts a tool's output, and a shell's."""

CLIPPED = (
    "<response clipped><NOTE>Due to the max output limit, only part of the full response has been shown to you.</NOTE>"
)
SHELLS = frozenset({"TerminalObservation", "ExecuteBashObservation"})


def active_branch(events: Sequence[Event], leaf: str) -> tuple[list[Event], list[str]]:
    """The events from the root to ``leaf`` (empty: the last event), and what was left out.

    An event without a parent follows the one recorded before it. ``ValueError`` where parents form a circle.
    """
    places = {event["id"]: index for index, event in enumerate(events) if isinstance(event.get("id"), str)}
    lost = []
    if leaf and leaf not in places:
        lost.append("the event that the conversation stands at is missing; the last recorded one is taken")
    index = places.get(leaf, len(events) - 1)
    path: list[int] = []
    missing = 0
    while index >= 0:
        if len(path) > len(events):
            raise ValueError("the events' parents form a circle")
        path.append(index)
        parent = events[index].get("parent_id")
        if parent == ROOT:
            break
        missing += bool(parent) and parent not in places
        index = places.get(parent, index - 1)
    if missing:
        lost.append(f"{count(missing, 'event')} whose parent is missing")
    if len(path) < len(events):
        lost.append(f"{count(len(events) - len(path), 'event')} on other branches left out")
    return [events[index] for index in reversed(path)], lost


class Reader:
    """Collects the messages of one conversation, the replies among them, and where its summaries were made.

    ``replies`` and ``summaries`` hold (messages before it, response id) of each.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        self.messages: list[Message] = []
        self.replies: list[tuple[int, str]] = []
        self.summaries: list[tuple[int, str]] = []
        self.condensed = False
        self.finished = False
        self._translator = Translator()
        self._actions: dict[str, list[Event]] = defaultdict(list)
        self._read: set[str] = set()
        self._invalid: set[str] = set()
        self._tools: int | None = None
        self._cut = 0
        for event in events:
            if event.get("kind") == "ActionEvent":
                self._actions[text(event.get("llm_response_id"))].append(event)

    def lost(self) -> Iterator[str]:
        """What the messages don't hold of the events."""
        if self._tools is None:
            yield "no system prompt was recorded, nor the definitions of the tools"
        elif self._tools:
            yield f"the definitions of {count(self._tools, 'tool')}, part of every prompt, are not in the history"
        if self._cut:
            yield f"{count(self._cut, 'output')} cut, as the model was shown"

    def add(self, event: Event) -> None:
        """Take the next event of the conversation; those that the model is not shown add nothing."""
        kind = event.get("kind")
        if kind == "SystemPromptEvent":
            self._tools = len(sequence(event.get("tools") or [], "tools"))
            parts = [event.get("system_prompt"), event.get("dynamic_context")]
            self._say(Kind.SYSTEM, [part for part in parts if part])
        elif kind == "MessageEvent":
            self._message(event)
        elif kind == "ActionEvent":
            self._action(event)
        elif kind == "ObservationEvent":
            observation = mapping(event.get("observation"), "observation")
            self._answer(event, self._shown(observation) + _parts(event.get("extended_content")))
        elif kind == "AgentErrorEvent":
            self._answer(event, [{"text": text(event.get("error"))}])
        elif kind == "UserRejectObservation":
            self._answer(event, [{"text": f"Action rejected: {text(event.get('rejection_reason'))}"}])
        elif kind == "Condensation":
            self.condensed = True
            self.summaries.append((len(self.messages), text(event.get("llm_response_id"))))

    def _say(self, kind: Kind, content: object) -> None:
        said, images = text_of(content)
        self.messages.append(Message(kind, said, len(self.messages), images=images))

    def _message(self, event: Event) -> None:
        message = mapping(event.get("llm_message"), "llm_message")
        content = _parts(message.get("content")) + _parts(event.get("extended_content"))
        if message.get("role") == "assistant":
            self.finished = False
            self.replies.append((len(self.messages), text(event.get("llm_response_id"))))
            chat = {"role": "assistant", "content": content, "thinking_blocks": message.get("thinking_blocks")}
            self.messages.append(self._translator(chat, len(self.messages)))
        else:
            self._say(Kind.TASK if event.get("source") == "user" else Kind.NOTE, content)

    def _action(self, event: Event) -> None:
        response_id = text(event.get("llm_response_id"))
        if response_id in self._read:
            return
        if response_id:
            self._read.add(response_id)
        batch = self._actions[response_id] if response_id else [event]
        calls = [_call(action) for action in batch]
        chat = {
            "role": "assistant",
            "content": [part for action in batch for part in _parts(action.get("thought"))],
            "thinking_blocks": event.get("thinking_blocks"),
            "tool_calls": calls,
        }
        invalid = [call["id"] for call, action in zip(calls, batch, strict=True) if action.get("action") is None]
        self._invalid.update(invalid)
        self.finished = any(call["function"]["name"] == "finish" for call in calls)
        self.replies.append((len(self.messages), response_id))
        message = self._translator(chat, len(self.messages))
        self.messages.append(replace(message, failed=len(invalid) == len(calls)))

    def _answer(self, event: Event, content: list[Any]) -> None:
        call_id = text(event.get("tool_call_id"))
        chat = {"role": "tool", "tool_call_id": call_id, "name": event.get("tool_name"), "content": content}
        message = self._translator(chat, len(self.messages))
        self.messages.append(replace(message, failed=call_id in self._invalid))

    def _shown(self, observation: Event) -> list[Any]:
        """An observation's content as the model is shown it."""
        shell = observation.get("kind") in SHELLS
        parts = _content(observation)
        failed = observation.get("is_error") or observation.get("error") is True
        header = [{"text": "[An error occurred during execution.]\n"}] if failed else []
        if shell:
            output, _ = text_of(parts)
            parts = [{"text": shell_output(output, section(observation, "metadata"))}]
        limit = SHELL_CHARS if shell else TOOL_CHARS
        image = [{"type": "image"}] if observation.get("screenshot_data") else []
        return header + [self._clip(part, limit) for part in parts] + image

    def _clip(self, part: Any, limit: int) -> Any:
        said = text(section(part).get("text"))
        if len(said) <= limit:
            return part
        self._cut += 1
        kept = limit - len(CLIPPED)
        return {"text": said[: kept - kept // 2] + CLIPPED + said[-(kept // 2) :]}


def _parts(content: object) -> list[Any]:
    """Content as a list of parts, whether it was recorded as one or as text."""
    if isinstance(content, str):
        return [{"text": content}] if content else []
    return list(sequence(content or [], "content"))


def _content(observation: Event) -> list[Any]:
    """What a tool said; before 1.0 every tool had a field of its own for it."""
    if observation.get("content") is not None:
        return _parts(observation["content"])
    said = (observation.get(name) for name in ("error", "output", "message"))
    return next(([{"text": value}] for value in said if isinstance(value, str) and value), [])


def _call(action: Event) -> dict[str, Any]:
    """An action's tool call in the shape of a chat message; ``ValueError`` where it has none."""
    call = mapping(action.get("tool_call"), "tool_call")
    function = section(call, "function") or call
    arguments = function.get("arguments")
    call_id = text(action.get("tool_call_id")) or text(call.get("id"))
    return {"id": call_id, "function": {"name": text(function.get("name")), "arguments": arguments}}
