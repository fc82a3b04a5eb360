"""SWE-agent's ``.traj`` files: 0.x, and 1.x with function calling or with thoughts and actions as text.

``history`` is read: the messages before any history processor. It may hold two leaks of them, content turned into lists
of parts and cache marks, and both are harmless here.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from context_strategies.commands import one_line
from context_strategies.fields import at, count, dollars, mapping, section, sequence, stem, text, tokens
from context_strategies.history import History, Kind, Message
from context_strategies.messages import Translator, calls_of, text_of
from context_strategies.trajectories.model import Call, Totals, Trajectory

NAME = "swe-agent"

Item = Mapping[str, Any]

HARMLESS = frozenset({"cache_control", "default", "tag_tool_call_observations", "image_parsing"})
"""History processors that leave the text of every message as it is."""

ELIDED = ("Old output omitted (", "Old environment output: (", "Outdated window with ")
"""How an observation begins that a history processor has replaced."""

CLOSING = "Exit due to "
"""How SWE-agent's own last words begin, which it stores as if the model had said them."""


def claims(value: object) -> bool:
    """Whether ``value`` has both of SWE-agent's lists: the steps and the messages."""
    return isinstance(value, dict) and all(isinstance(value.get(name), list) for name in ("trajectory", "history"))


def parse(value: Item, source: str) -> Iterator[Trajectory]:
    """The one run that a ``.traj`` file holds; of several attempts, the one SWE-agent chose."""
    steps = sequence(value["trajectory"], "trajectory")
    stored = [mapping(item, f"history[{index}]") for index, item in enumerate(value["history"])]
    sent = _sent(stored)
    history = History(_messages(sent))
    actions = [index for index, message in enumerate(history.messages) if message.kind is Kind.ACTION]
    info, config = section(value, "info"), _config(value)
    elided = sum(message.text.removeprefix("OBSERVATION:\n").startswith(ELIDED) for message in history.messages)
    yield Trajectory(
        id=text(section(config, "problem_statement").get("id")) or stem(source),
        source=source,
        format=NAME,
        model=text(section(_agent(config), "model").get("name")),
        history=history,
        calls=tuple(Call(index) for index in actions),
        exit_status=text(info.get("exit_status")),
        condensed=bool(elided) or any(kind not in HARMLESS for kind in _processors(config)),
        cost=dollars(section(info, "model_stats").get("instance_cost")),
        lost=tuple(_lost(value, len(steps), len(actions), len(stored) - len(sent), elided)),
        totals=_totals(section(info, "model_stats")),
    )


def _totals(stats: Item) -> Totals | None:
    """What SWE-agent counts over all calls, retries among them: it stores no usage of single ones."""
    totals = Totals(*(tokens(stats.get(name)) for name in ("api_calls", "tokens_sent", "tokens_received")))
    return totals if totals.prompt else None


def _sent(stored: Sequence[Item]) -> list[tuple[int, Item]]:
    """What a model was sent of ``stored``, and where it stands there: messages of the agent that acted last."""
    spoken = [item for item in stored if item.get("role") == "assistant"] or stored
    agent = spoken[-1].get("agent") if spoken else None
    return [pair for pair in enumerate(_without_closing(stored)) if pair[1].get("agent", agent) == agent]


def _without_closing(stored: Sequence[Item]) -> Sequence[Item]:
    """``stored`` up to SWE-agent's own last words and the answer to them: no model saw either."""
    for index in range(len(stored) - 1, max(len(stored) - 3, -1), -1):
        item = stored[index]
        if item.get("role") == "assistant" and not item.get("action") and text(item.get("content")).startswith(CLOSING):
            return stored[:index]
    return stored


def _messages(sent: Iterable[tuple[int, Item]]) -> Iterator[Message]:
    translator = ItemTranslator()
    for index, item in sent:
        with at(f"history[{index}]"):
            yield translator(item, index)


class ItemTranslator:
    """Items of SWE-agent's history to neutral messages, one after the other: what one is depends on those before it."""

    def __init__(self) -> None:
        self._translator = Translator()
        self._action: Item = {}

    def __call__(self, item: Item, index: int) -> Message:
        """The message of the history's next item."""
        message = self._translator(item, index)
        tags = _tags(item)
        if item.get("is_demo"):
            message = replace(message, kind=Kind.DEMO, call_ids=())
        elif message.kind is Kind.ACTION:
            self._action = item
        elif message.kind is not Kind.SYSTEM:
            message = _answer(item, index, self._action)
            tags |= _tags(self._action)  # where SWE-agent's own processor puts the tags that it means for the answers
        return replace(message, tags=tags)


def _tags(item: Item) -> frozenset[str]:
    return frozenset(map(text, item.get("tags") or ()))


def _answer(item: Item, index: int, action: Item) -> Message:
    """What follows ``action``: an observation, or something that a run added in between."""
    content, images = text_of(item.get("content"))
    if not action:
        return Message(Kind.TASK, content, index, images=images)
    if item.get("message_type", "observation") != "observation":
        return Message(Kind.NOTE, content, index, images=images)
    ids = tuple(map(str, item.get("tool_call_ids") or ()))
    tool = next((name for call_id, name, _ in calls_of(action) if call_id in ids), "")
    return Message(Kind.OBSERVATION, content, index, ids, tool, one_line(text(action.get("action"))), images=images)


def _config(value: Item) -> Item:
    """The run's own configuration: an object, or text that holds one; 0.x has none."""
    config = value.get("replay_config")
    if isinstance(config, str):
        with at("replay_config"):
            config = json.loads(config)
    return section(config)


def _agent(config: Item) -> Item:
    """The agent's configuration, the first one's where several attempts were configured."""
    agent = section(config, "agent")
    several = agent.get("agent_configs")
    return section(several[0]) if isinstance(several, list) and several else agent


def _processors(config: Item) -> list[str]:
    agent = _agent(config)
    listed = agent.get("history_processors") or [agent.get("history_processor")]
    return [text(section(item).get("type")) for item in listed if item]


def _lost(value: Item, steps: int, actions: int, unsent: int, elided: int) -> Iterator[str]:
    calls = tokens(section(value, "info", "model_stats").get("api_calls"))
    if steps > actions:
        yield f"{count(steps - actions, 'recorded step')} of {steps} without an action in the history"
    if calls > actions:
        yield f"{count(calls - actions, 'call')} of {calls} without an action in the history: retries, most likely"
    if unsent:
        yield f"{count(unsent, 'stored message')} never sent to the model"
    if elided:
        yield f"{count(elided, 'observation')} stored without the text"
    if not value.get("replay_config"):
        yield "whether old observations were hidden from the model is not recorded"
    if isinstance(value.get("attempts"), list) and len(value["attempts"]) > 1:
        yield count(len(value["attempts"]) - 1, "other attempt")
