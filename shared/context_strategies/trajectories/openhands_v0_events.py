"""OpenHands V0 events to messages, one after the other."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from context_strategies.commands import one_line
from context_strategies.fields import count, dollars, section, text
from context_strategies.history import Kind, Message
from context_strategies.messages import Translator, calls_of, reply_of
from context_strategies.trajectories.openhands_v0_text import ENDS, recalled, shown_text, spoken
from context_strategies.trajectories.records import Tally, tally

Event = Mapping[str, Any]

REPLIES = frozenset(
    {
        "browse",
        "browse_interactive",
        "call_tool_mcp",
        "delegate",
        "edit",
        "finish",
        "mcp",
        "message",
        "read",
        "reject",
        "run",
        "run_ipython",
        "task_tracking",
        "think",
        "write",
    }
)
UNSEEN = frozenset(
    {
        "change_agent_state",
        "condensation_request",
        "loop_recovery",
        "null",
        "pause",
        "push",
        "recall",
        "resume",
        "send_pr",
        "start",
        "stop",
    }
)
"""Actions that the model is not shown."""
ACTIONS = REPLIES | UNSEEN | {"condensation", "system"}

SILENT_OBSERVATIONS = frozenset({"null", "loop_detection"})
OBSERVATIONS = SILENT_OBSERVATIONS | {
    "agent_state_changed",
    "browse",
    "chat",
    "condense",
    "delegate",
    "download",
    "edit",
    "error",
    "mcp",
    "message",
    "read",
    "recall",
    "run",
    "run_ipython",
    "success",
    "task_tracking",
    "think",
    "user_rejected",
    "write",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One call that events tell of: a reply of the agent, or (``side``) a summary."""

    upto: int
    response_id: str = ""
    tally: Tally | None = None
    totals: Tally | None = None
    totals_cost: float | None = None
    side: bool = False


class Reader:
    """Collects the messages and calls of one run; ``limit`` is the length in characters that outputs are cut to."""

    def __init__(self, limit: int) -> None:
        self.messages: list[Message] = []
        self.steps: list[Step] = []
        self.model = ""
        self.state = ""
        self.cost: float | None = None
        self.condensed = False
        self._limit = limit
        self._translator = Translator()
        self._answered: set[str] = set()
        self._user_commands: set[object] = set()
        self._told: set[str] = set()
        self._delegated = 0
        self._hidden = 0
        self._cut = 0
        self._tools: int | None = None

    def lost(self) -> Iterator[str]:
        """What the messages don't hold of the events."""
        if self._tools is None:
            yield "no system prompt was recorded, nor the definitions of the tools"
        elif self._tools:
            yield f"the definitions of {count(self._tools, 'tool')}, part of every prompt, are not in the history"
        if self._cut:
            yield f"{count(self._cut, 'output')} cut to {self._limit:,} characters, as the model was shown"
        if self._hidden:
            yield f"{count(self._hidden, 'event')} of delegated agents left out"

    def add(self, event: Event) -> None:
        """Take the next event; ``ValueError`` where it is none."""
        action, observation = event.get("action"), event.get("observation")
        if isinstance(observation, str) and observation:
            self._observe(observation, event)
        elif isinstance(action, str) and action:
            self._act(action, event)
        else:
            raise ValueError("neither an action nor an observation")

    def _act(self, action: str, event: Event) -> None:
        args = section(event, "args") or event
        self.cost = dollars(section(event, "llm_metrics").get("accumulated_cost")) or self.cost
        if self._delegated:
            self._hidden += 1
            self._delegated += action == "delegate"
        elif action == "system":
            self._tools = len(args.get("tools") or ())
            self._say(Kind.SYSTEM, text(args.get("content")))
        elif action == "condensation":
            self.condensed = True
            self.steps.append(self._step(event, side=True))
        elif action in UNSEEN:
            return
        elif self._by_user(action, event):
            self._hear(action, event, args)
        else:
            self._reply(action, event, args)
            self._delegated += action == "delegate"

    def _by_user(self, action: str, event: Event) -> bool:
        source = event.get("source")
        if source is None:  # before 0.9: the task is the first message
            return action == "message" and not self.steps
        return bool(source == "user")

    def _hear(self, action: str, event: Event, args: Event) -> None:
        said = text(args.get("content"))
        if action == "run":
            self._user_commands.add(event.get("id"))
            said = f"User executed the command:\n{text(args.get('command'))}"
        elif action != "message":
            return
        self._say(Kind.TASK, said, images=len(args.get("image_urls") or ()))

    def _say(self, kind: Kind, said: str, *, images: int = 0) -> None:
        self.messages.append(Message(kind, said, len(self.messages), images=images))

    def _reply(self, action: str, event: Event, args: Event) -> None:
        made = section(event, "tool_call_metadata")
        response = section(made, "model_response")
        response_id = text(response.get("id"))
        if response_id in self._answered:
            return  # one more action of a reply that is here already
        self._answered.update({response_id} - {""})
        said = reply_of(response, "tool_call_metadata.model_response") if response else spoken(action, args, made)
        chat = {"role": "assistant", "content": said.get("content"), "tool_calls": said.get("tool_calls")}
        self.steps.append(self._step(event))
        self.model = self.model or text(response.get("model"))
        message = self._translator(chat, len(self.messages))
        answered = tuple(call_id for call_id, tool, _ in calls_of(chat) if tool not in ENDS)
        self.messages.append(replace(message, call_ids=answered))
        self.state = "finished" if action == "finish" else self.state

    def _step(self, event: Event, *, side: bool = False) -> Step:
        response = section(event, "tool_call_metadata", "model_response")
        totals = section(event, "llm_metrics", "accumulated_token_usage")
        cost = dollars(section(event, "llm_metrics").get("accumulated_cost"))
        found = tally(response.get("usage"))
        if totals and not self.model:
            self.model = text(totals.get("model")).removeprefix("default")
        return Step(len(self.messages), text(response.get("id")), found, tally(totals), cost, side)

    def _observe(self, kind: str, event: Event) -> None:
        extras = section(event, "extras") or event
        if kind == "delegate" and self._delegated:
            self._delegated -= 1
        if kind == "agent_state_changed":
            self.state = text(extras.get("agent_state")) or self.state
        elif self._delegated:
            self._hidden += 1
        elif kind == "recall":
            told = "\n".join(recalled(extras, self._told))
            if told:
                self._say(Kind.TASK, told)
        elif kind not in SILENT_OBSERVATIONS:
            self._answer(kind, event, extras)

    def _answer(self, kind: str, event: Event, extras: Event) -> None:
        shown, cut = shown_text(kind, text(event.get("content")), extras, self._limit)
        self._cut += cut
        images = len(extras.get("image_urls") or ())
        images += bool(kind == "browse" and (extras.get("set_of_marks") or extras.get("screenshot")))
        made = section(event, "tool_call_metadata")
        call_id = text(made.get("tool_call_id"))
        if call_id:
            answer = {"role": "tool", "tool_call_id": call_id, "name": made.get("function_name"), "content": shown}
            self.messages.append(replace(self._translator(answer, len(self.messages)), images=images))
            return
        if event.get("cause") in self._user_commands:
            shown = f"\nObserved result of command executed by user:\n{shown}"
        command = next((text(extras[name]) for name in ("command", "code", "path", "url") if extras.get(name)), "")
        self.messages.append(
            Message(Kind.OBSERVATION, shown, len(self.messages), tool=kind, command=one_line(command), images=images)
        )
