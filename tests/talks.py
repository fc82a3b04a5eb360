"""OpenHands V1 conversations made of events, without an agent."""

from collections.abc import Sequence
from itertools import count

from openhands.sdk.context.condenser import CondenserBase
from openhands.sdk.context.view import View
from openhands.sdk.event import (
    ActionEvent,
    Condensation,
    CondensationRequest,
    Event,
    LLMConvertibleEvent,
    MessageEvent,
    ObservationEvent,
    SystemPromptEvent,
)
from openhands.sdk.llm import Message, MessageToolCall, RedactedThinkingBlock, TextContent, ThinkingBlock
from openhands.sdk.tool.builtins.think import ThinkAction, ThinkObservation
from openhands.sdk.tool.schema import Observation


def texts(events: Sequence[LLMConvertibleEvent]) -> list[tuple[str, str]]:
    """What the model reads of ``events``: role and text of each message, calls by their ids."""
    shown = LLMConvertibleEvent.events_to_messages(list(events))
    return [
        (
            m.role,
            "".join(p.text for p in m.content if isinstance(p, TextContent))
            + "".join(c.id for c in m.tool_calls or ()),
        )
        for m in shown
    ]


class Talk:
    """One conversation's events."""

    def __init__(self) -> None:
        self.events: list[Event] = [
            SystemPromptEvent(source="agent", system_prompt=TextContent(text="You are an agent."), tools=[]),
        ]
        self._view = View.from_events(self.events)
        self._numbers = count(1)
        self.user("Make the tests pass.")

    @property
    def view(self) -> View:
        """The live view, as the SDK keeps it."""
        return self._view

    def add(self, event: Event) -> None:
        self.events.append(event)
        if hasattr(View, "append_event"):
            self._view.append_event(event)
        else:
            self._view = View.from_events(self.events)

    def reloaded(self) -> View:
        """The view of the same events, read back from what is stored."""
        stored = [event.model_dump_json() for event in self.events]
        return View.from_events([Event.model_validate_json(line) for line in stored])

    def user(self, text: str) -> None:
        message = Message(role="user", content=[TextContent(text=text)])
        self.add(MessageEvent(source="user", llm_message=message))

    def turn(self, *outputs: str, thinking: bool = False, thought: str = "") -> None:
        """One answer with a call for each of ``outputs``."""
        number = next(self._numbers)
        calls = [f"call_{number}_{i}" for i, _ in enumerate(outputs)]
        blocks: list[ThinkingBlock | RedactedThinkingBlock] = (
            [ThinkingBlock(thinking="Hm.", signature="s")] if thinking else []
        )
        actions = []
        for i, call in enumerate(calls):
            arguments = f'{{"command": "cat file{number}_{i}.py"}}'
            action = ActionEvent(
                thought=[TextContent(text=thought or f"Step {number}.")] if i == 0 else [],
                thinking_blocks=blocks[:1] if i == 0 else [],
                action=ThinkAction(thought="x"),
                tool_name="terminal",
                tool_call_id=call,
                tool_call=MessageToolCall(id=call, name="terminal", arguments=arguments, origin="completion"),
                llm_response_id=f"response_{number}",
            )
            actions.append(action)
            self.add(action)
        for action, output in zip(actions, outputs, strict=True):
            self.observe(action, ThinkObservation.from_text(output))

    def observe(self, action: ActionEvent, observation: Observation) -> None:
        self.add(
            ObservationEvent(
                observation=observation,
                action_id=action.id,
                tool_name=action.tool_name,
                tool_call_id=action.tool_call_id,
            )
        )

    def ask(self, condenser: CondenserBase) -> list[LLMConvertibleEvent]:
        """What the agent's next request would show; condensations on the way become events, as in the SDK's loop."""
        for _ in range(5):
            outcome = condenser.condense(self._view)
            if isinstance(outcome, View):
                return outcome.events
            self.condensed(outcome)
        raise AssertionError("condenses without end")

    def condensed(self, event: Condensation) -> None:
        """Take a condensation, checking that it cuts only where the SDK allows it and forgets no task."""
        indices = self._view.manipulation_indices
        gone = [event_.id in event.forgotten_event_ids for event_ in self._view.events]
        edges = [i for i, (left, right) in enumerate(zip([False, *gone], [*gone, False], strict=True)) if left != right]
        assert set(edges) <= set(indices)
        kinds = {type(e) for e in self._view.events if e.id in event.forgotten_event_ids}
        assert SystemPromptEvent not in kinds
        assert MessageEvent not in kinds
        self.add(event)

    def request(self) -> None:
        self.add(CondensationRequest())
