"""One scripted run through every adapter: the model sees the same turns hidden, the same placeholders and summaries.

What it must be shown is what :class:`context_strategies.chat.Manager` shows of the plain chat messages. The OpenHands
generations can't share an environment: each is tried where it is installed, the other adapters everywhere.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from context_strategies import choose
from context_strategies.chat import Manager
from context_strategies.summarizers import Extractive

TASK, SYSTEM = "Make the tests pass.", "You are an agent."
TURNS = 30
TOOL = "execute_bash"

STRATEGIES = [
    "masking:window=3,refresh=1",
    "masking:window=2",
    "masking:window=1,refresh=4,keep_facts=5",
    "truncation:keep_tokens=900",
    "llm_summary:every=6,window=3,summarizer=extractive",
    "rolling_summary:summarizer=extractive",
    "hybrid:every=8,window=3,refresh=2,summarizer=extractive",
]

Shown = dict[str, str]
"""What the model reads: each output under its call's id, summaries under ``summary``."""


def command(turn: int) -> str:
    return json.dumps({"command": f"cat src/part_{turn}.py"})


def output(turn: int) -> str:
    return "\n".join(f"{turn}:{line} def handler_{turn}_{line}(request): ..." for line in range(10 + turn % 7 * 6))


def spec(text: str) -> dict[str, Any]:
    """The strategy's fields; without a limit, and at the same prices everywhere."""
    strategy: Any = choose(text)
    return {**strategy.model_dump(mode="json"), "max_tokens": None, "cache": "on"}


def chat_turn(turn: int) -> list[dict[str, Any]]:
    call = {"id": f"c{turn}", "type": "function", "function": {"name": TOOL, "arguments": command(turn)}}
    return [
        {"role": "assistant", "content": f"Step {turn}.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{turn}", "content": output(turn)},
    ]


def by_chat(fields: dict[str, Any]) -> Iterator[Shown]:
    manager = Manager(fields)
    messages: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": TASK}]
    for turn in range(1, TURNS + 1):
        messages += chat_turn(turn)
        shown: Shown = {}
        for message in manager(messages):
            if message["role"] == "tool":
                shown[message["tool_call_id"]] = message["content"]
            elif message["role"] == "user" and message["content"] != TASK:
                shown["summary"] = message["content"]
        yield shown


def by_swe_agent(fields: dict[str, Any]) -> Iterator[Shown]:
    from context_strategies.session import Session
    from context_strategies.terms import Terms
    from swe_agent_plugin.conversation import Requests

    requests = Requests(Session(choose(fields), Terms(), Extractive()), None)
    common = {"agent": "main"}
    items: list[dict[str, Any]] = [
        {"role": "system", "content": SYSTEM, "message_type": "system_prompt", **common},
        {"role": "user", "content": TASK, "message_type": "observation", **common},
    ]
    for turn in range(1, TURNS + 1):
        action, answer = chat_turn(turn)
        items.append({**action, "message_type": "action", "thought": "", "action": f"cat src/part_{turn}.py", **common})
        items.append(
            {
                "role": "tool",
                "content": answer["content"],
                "message_type": "observation",
                "tool_call_ids": [f"c{turn}"],
                **common,
            }
        )
        shown: Shown = {}
        for item in requests(items):
            if item["role"] == "tool":
                shown[item["tool_call_ids"][0]] = item["content"]
            elif item["message_type"] == "summary":
                shown["summary"] = item["content"]
        yield shown


def by_mini_swe_agent(fields: dict[str, Any]) -> Iterator[Shown]:
    from context_strategies.terms import Terms
    from mini_swe_agent_plugin.conversation import Conversation
    from mini_swe_agent_plugin.ledger import Ledger

    conversation = Conversation(choose(fields), Terms(), Ledger(Extractive()))
    messages: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": TASK}]
    for turn in range(1, TURNS + 1):
        messages += chat_turn(turn)
        shown: Shown = {}
        for message in conversation.request(messages):
            if message["role"] == "tool":
                shown[message["tool_call_id"]] = message["content"]
            elif message["role"] == "user" and message["content"] != TASK:
                shown["summary"] = message["content"]
        yield shown


def by_openhands_v1(fields: dict[str, Any]) -> Iterator[Shown]:
    pytest.importorskip("openhands.sdk", reason="the OpenHands SDK is not in this environment")
    from openhands.sdk.context.condenser import CondenserBase
    from openhands.sdk.event import ActionEvent, LLMConvertibleEvent
    from openhands.sdk.llm import MessageToolCall, TextContent
    from openhands.sdk.tool.builtins.think import ThinkAction, ThinkObservation

    import openhands_plugin.v1  # noqa: F401 - registers the condensers
    from context_strategies.compare.config_lines import KINDS
    from talks import Talk

    settings = {name: value for name, value in fields.items() if name != "type"}
    condenser = CondenserBase.model_validate({"kind": KINDS[fields["type"]], **settings})
    talk = Talk()
    for turn in range(1, TURNS + 1):
        call = MessageToolCall(id=f"c{turn}", name=TOOL, arguments=command(turn), origin="completion")
        action = ActionEvent(
            thought=[TextContent(text=f"Step {turn}.")],
            action=ThinkAction(thought="x"),
            tool_name=TOOL,
            tool_call_id=f"c{turn}",
            tool_call=call,
            llm_response_id=f"response_{turn}",
        )
        talk.add(action)
        talk.observe(action, ThinkObservation.from_text(output(turn)))
        shown: Shown = {}
        for message in LLMConvertibleEvent.events_to_messages(talk.ask(condenser)):
            said = "".join(part.text for part in message.content if isinstance(part, TextContent))
            if message.role == "tool":
                shown[str(message.tool_call_id)] = said
            elif message.role == "user" and said != TASK:
                shown["summary"] = said.removeprefix(TASK)
        yield shown


def by_openhands_v0(fields: dict[str, Any]) -> Iterator[Shown]:
    pytest.importorskip("openhands.core", reason="OpenHands V0 is not in this environment")
    from openhands.events.observation.agent import AgentCondensationObservation
    from openhands.events.serialization.event import event_from_dict

    from context_strategies.terms import Terms
    from openhands_plugin.v0.apply import Renderer
    from openhands_plugin.v0.conversation import Conversation

    conversation = Conversation(choose(fields), Terms(), Extractive(), lambda _event: None, 30_000)
    render = Renderer()
    events = [
        event_from_dict({"id": 0, "source": "agent", "action": "system", "args": {"content": SYSTEM}}),
        event_from_dict({"id": 1, "source": "user", "action": "message", "args": {"content": TASK}}),
    ]
    for turn in range(1, TURNS + 1):
        action, _ = chat_turn(turn)
        reply = {"id": f"response_{turn}", "choices": [{"message": action}]}
        metadata = {
            "function_name": TOOL,
            "tool_call_id": f"c{turn}",
            "model_response": reply,
            "total_calls_in_response": 1,
        }
        run = {
            "source": "agent",
            "action": "run",
            "args": {"command": f"cat src/part_{turn}.py", "thought": f"Step {turn}."},
        }
        answer = {"observation": "run", "content": output(turn), "extras": {"command": "", "command_id": -1}}
        for raw in (run, {**answer, "cause": len(events)}):
            event = event_from_dict({"id": len(events), "tool_call_metadata": metadata, **raw})
            events.append(event)
        conversation.follow(events)
        shown: Shown = {}
        for event in render(conversation.session.context(), events, conversation.places):
            if isinstance(event, AgentCondensationObservation):
                shown["summary"] = event.content
            elif hasattr(event, "content") and event.tool_call_metadata:
                shown[event.tool_call_metadata.tool_call_id] = event.content
        yield shown


ADAPTERS: dict[str, Callable[[dict[str, Any]], Iterator[Shown]]] = {
    "SWE-agent": by_swe_agent,
    "mini-swe-agent": by_mini_swe_agent,
    "OpenHands V1": by_openhands_v1,
    "OpenHands V0": by_openhands_v0,
}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("adapter", ADAPTERS)
def test_the_model_sees_the_same(adapter: str, strategy: str) -> None:
    fields = spec(strategy)
    expected = list(by_chat(fields))
    assert (
        any(text != output(int(call[1:])) for call, text in expected[-1].items() if call != "summary")
        or len(expected[-1]) < TURNS
    )
    for turn, (theirs, ours) in enumerate(zip(ADAPTERS[adapter](fields), expected, strict=True), 1):
        assert theirs == ours, turn
