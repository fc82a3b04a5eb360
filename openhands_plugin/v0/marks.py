"""Cache marks: one more at each place where the next request can still read the cache.

OpenHands marks the system prompt and the last message. It makes its messages anew from the events for each request, and
an event cannot carry a mark: so ours are set on the messages that an agent has made.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

from openhands.agenthub.codeact_agent import CodeActAgent
from openhands.core.message import Message

from context_strategies.events import LOG
from context_strategies.history import History, Kind
from openhands_plugin.v0.condenser import condensers_in

Messages = Callable[..., list[Message]]


def extend(agent: type[CodeActAgent]) -> None:
    """Have ``agent`` set our marks on its messages; a second call changes nothing."""
    if not hasattr(agent._get_messages, "__wrapped__"):  # noqa: SLF001 - the one place where messages can be marked
        agent._get_messages = _marking(agent._get_messages)  # noqa: SLF001 - likewise


def _marking(get_messages: Messages) -> Messages:
    @wraps(get_messages)
    def marked(agent: CodeActAgent, *args: Any, **kwargs: Any) -> list[Message]:
        messages = get_messages(agent, *args, **kwargs)
        try:
            if agent.llm.is_caching_prompt_active():
                for condenser in condensers_in(agent.condenser):
                    set_marks(messages, condenser.marked, condenser.conversation.session.history)
        except Exception as error:  # noqa: BLE001 - never fatal: a mark only saves money
            LOG.warning("cache marks not set: %r", error)
        return messages

    return marked


def set_marks(messages: Sequence[Message], places: Iterable[int], history: History) -> None:
    """Mark the messages that stand for ``places`` of the history, or the last ones before them that can be marked."""
    for place in places:
        message = _message(messages, place, history)
        if message is not None and message.content:
            message.content[-1].cache_prompt = True


def _message(messages: Sequence[Message], place: int, history: History) -> Message | None:
    """The last answer of a tool up to ``place``; before the first, the last message of the task."""
    answers = {message.tool_call_id: message for message in messages if message.role == "tool"}
    for index in range(place, history.start_of(1) - 1, -1):
        told = history[index]
        if told.kind is Kind.OBSERVATION and told.call_ids and told.call_ids[0] in answers:
            return answers[told.call_ids[0]]
    first = next((i for i, message in enumerate(messages) if message.role == "assistant"), len(messages))
    return next((message for message in reversed(messages[:first]) if message.role == "user"), None)
