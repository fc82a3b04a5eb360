"""The conversations that a condenser serves, each kept as long as its events are."""

import weakref
from threading import Lock
from typing import Self

from openhands.sdk.context.condenser.base import NoCondensationAvailableException
from openhands.sdk.context.view import View
from openhands.sdk.event import Condensation, LLMConvertibleEvent
from openhands.sdk.llm import LLM

from context_strategies.events import LOG
from context_strategies.strategies import Strategy
from openhands_plugin.v1.condensation import condensation, cure
from openhands_plugin.v1.conversation import Conversation
from openhands_plugin.v1.host import events_file, terms_of
from openhands_plugin.v1.summarizer import writer


class Conversations:
    """A cache: one that is not in it is made again from the view. A copy, or what was pickled, starts empty."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[int, tuple[weakref.ref[LLMConvertibleEvent], Conversation]] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Conversations)

    def __hash__(self) -> int:
        return hash(Conversations)

    def __reduce__(self) -> tuple[type[Self], tuple[()]]:
        return type(self), ()

    def condense(
        self, strategy: Strategy, view: View, agent_llm: LLM | None, *, own: LLM | None, folder: str | None
    ) -> View | Condensation:
        """``view`` as ``strategy`` shows it, or what must be kept first; summaries by ``own`` model, or the agent's.

        An error is logged, and all of the view is shown. Raises NoCondensationAvailableException where a condensation
        was asked for and can't be had: the whole view would be refused again.
        """
        try:
            conversation = self._of(strategy, view.events[0], agent_llm, own, folder)
            return self._condense(view, conversation, agent_llm)
        except NoCondensationAvailableException:
            raise
        except Exception as error:
            if view.unhandled_condensation_request:
                raise NoCondensationAvailableException(str(error)) from error
            if view.events:
                LOG.exception("a condenser failed; instead: everything is shown")
            return view

    @staticmethod
    def _condense(view: View, conversation: Conversation, agent_llm: LLM | None) -> View | Condensation:
        events = list(view.events)
        with conversation.lock:
            conversation.follow(events)
            if view.unhandled_condensation_request:
                return cure(conversation, events)
            kept = condensation(conversation, events)
            if kept:
                return kept
            marks = agent_llm is not None and agent_llm.is_caching_prompt_active()
            return view.model_copy(update={"events": conversation.shown(events, marks=marks)})

    def _of(
        self,
        strategy: Strategy,
        first: LLMConvertibleEvent,
        agent_llm: LLM | None,
        own: LLM | None,
        folder: str | None,
    ) -> Conversation:
        """The one that begins with the very event ``first``."""
        terms, llm = terms_of(strategy, agent_llm), writer(strategy, own, agent_llm)
        key = id(first)
        with self._lock:
            _, one = self._known.get(key, (None, None))
            if one is None or one.strategy is not strategy or one.terms != terms or one.llm is not llm:
                one = Conversation(strategy, terms, llm, events_file(folder, first.id))
                self._known[key] = (weakref.ref(first, lambda _: self._known.pop(key, None)), one)
            return one
