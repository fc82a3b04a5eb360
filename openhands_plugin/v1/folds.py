"""The folds of the conversations that a condenser serves, kept as long as the conversations are."""

import weakref
from threading import Lock
from typing import Self

from openhands.sdk.context.condenser.base import NoCondensationAvailableException
from openhands.sdk.context.view import View
from openhands.sdk.event import Condensation, LLMConvertibleEvent
from openhands.sdk.llm import LLM

from context_strategies.events import LOG
from context_strategies.strategies import Strategy
from openhands_plugin.v1.fold import Fold
from openhands_plugin.v1.host import events_file, terms_of
from openhands_plugin.v1.summarizer import writer


class Folds:
    """A cache: a fold that is not in it is made again from the view. A copy, or what was pickled, starts empty."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._folds: dict[int, tuple[weakref.ref[LLMConvertibleEvent], Fold]] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Folds)

    def __hash__(self) -> int:
        return hash(Folds)

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
            fold = self._fold(strategy, view.events[0], agent_llm, own, folder)
            return self._condense(view, fold, agent_llm)
        except NoCondensationAvailableException:
            raise
        except Exception as error:
            if view.unhandled_condensation_request:
                raise NoCondensationAvailableException(str(error)) from error
            if view.events:
                LOG.exception("a condenser failed; instead: everything is shown")
            return view

    @staticmethod
    def _condense(view: View, fold: Fold, agent_llm: LLM | None) -> View | Condensation:
        events = list(view.events)
        with fold.lock:
            fold.follow(events)
            if view.unhandled_condensation_request:
                return fold.cure(events)
            kept = fold.condensation(events)
            if kept:
                return kept
            marks = agent_llm is not None and agent_llm.is_caching_prompt_active()
            return view.model_copy(update={"events": fold.shown(events, marks=marks)})

    def _fold(
        self,
        strategy: Strategy,
        first: LLMConvertibleEvent,
        agent_llm: LLM | None,
        own: LLM | None,
        folder: str | None,
    ) -> Fold:
        """The fold of the conversation that begins with the very event ``first``."""
        terms, llm = terms_of(strategy, agent_llm), writer(strategy, own, agent_llm)
        key = id(first)
        with self._lock:
            _, fold = self._folds.get(key, (None, None))
            if fold is None or fold.strategy is not strategy or fold.terms != terms or fold.llm is not llm:
                fold = Fold(strategy, terms, llm, events_file(folder, first.id))
                self._folds[key] = (weakref.ref(first, lambda _: self._folds.pop(key, None)), fold)
            return fold
