"""One condenser for every strategy, and the pipeline that lets it see the whole conversation."""

import logging
from dataclasses import asdict
from typing import Any, Self

from openhands.controller.state.state import State
from openhands.core.config.condenser_config import CondenserPipelineConfig
from openhands.core.exceptions import LLMContextWindowExceedError
from openhands.events.action.agent import CondensationAction
from openhands.llm.llm_registry import LLMRegistry
from openhands.memory.condenser.condenser import Condensation, Condenser
from openhands.memory.condenser.impl.pipeline import CondenserPipeline
from openhands.memory.view import View

from context_strategies.events import LOG, JsonLines
from context_strategies.events import Event as Told
from openhands_plugin.v0.apply import Renderer
from openhands_plugin.v0.condensation import condensation
from openhands_plugin.v0.config import StrategyConfig, strategy_of
from openhands_plugin.v0.conversation import Conversation
from openhands_plugin.v0.host import events_path, limit_of, terms_of
from openhands_plugin.v0.summarizer import summarizer_of

METADATA = "context_strategies"
"""Key of our events in the metadata of a condensation, which OpenHands' evaluations write into their output."""


class StrategyCondenser(Condenser):
    """Shows the agent what a strategy makes of its conversation. Never raises but where a run can't go on."""

    def __init__(self, config: StrategyConfig, registry: LLMRegistry) -> None:
        super().__init__()
        if LOG.level == logging.NOTSET:  # OpenHands sets the root logger to errors only
            LOG.setLevel(logging.WARNING)
        strategy = strategy_of(config)
        summarizer = summarizer_of(strategy, getattr(config, "llm_config", None), registry)
        terms = terms_of(strategy, registry)
        self._registry = registry
        self._state: State | None = None
        self._file: JsonLines | None = None
        self._told: list[dict[str, Any]] = []
        self.conversation = Conversation(strategy, terms, summarizer, self._record, limit_of(registry))
        self._render = Renderer()
        self.marked: tuple[int, ...] = ()

    @classmethod
    def from_config(cls, config: StrategyConfig, llm_registry: LLMRegistry) -> Self:
        """The condenser that ``config`` describes; raises ConfigError."""
        return cls(config, llm_registry)

    def attend(self, state: State) -> None:
        """Take the state that the next view is of: the view alone does not hold what has been forgotten."""
        if self._state is None or self._state.session_id != state.session_id:
            path = events_path(self._registry.config, state.session_id, state.user_id)
            self._file = JsonLines(path) if path else None
        self._state = state

    def condensed_history(self, state: State) -> View | Condensation:
        """What the agent is shown of ``state``."""
        self.attend(state)
        return super().condensed_history(state)

    def condense(self, view: View) -> View | Condensation:
        """``view`` as the strategy has it; or an event: of a new summary, or in answer to a request to condense."""
        try:
            return self._condense(view)
        except LLMContextWindowExceedError:
            raise
        except Exception as error:  # noqa: BLE001 - never fatal: it would end the run
            LOG.warning("%r; instead: nothing is hidden in this request", error, exc_info=True)
            return _answer() if view.unhandled_condensation_request else view

    def _condense(self, view: View) -> View | Condensation:
        state, conversation = self._state, self.conversation
        conversation.follow(view.events if state is None else state.history)
        context = conversation.session.context()
        self._flush()
        shown = view.events if state is None else state.view.events
        action = condensation(context, conversation.known, shown, conversation.places) if state else None
        if action:
            return Condensation(action=action)
        if view.unhandled_condensation_request:
            if conversation.stuck:
                raise LLMContextWindowExceedError("The task and the newest turn alone exceed the model's limit.")
            return _answer()
        self.marked = context.marks
        return view.model_copy(update={"events": self._render(context, view.events, conversation.places)})

    def _record(self, event: Told) -> None:
        self._told.append(asdict(event))
        if self._file:
            self._file(event)

    def _flush(self) -> None:
        if self._told:
            self.add_metadata(METADATA, self._told)
            self._told = []


def _answer() -> Condensation:
    """The event that tells OpenHands its request to condense has been answered."""
    return Condensation(action=CondensationAction(forgotten_event_ids=[]))


class StrategyPipeline(CondenserPipeline):
    """OpenHands' pipeline, in which our condensers see the whole conversation."""

    def condensed_history(self, state: State) -> View | Condensation:
        """What the agent is shown of ``state``."""
        for condenser in condensers_in(self):
            condenser.attend(state)
        result: View | Condensation = super().condensed_history(state)
        return result

    @classmethod
    def from_config(cls, config: CondenserPipelineConfig, llm_registry: LLMRegistry) -> Self:
        """The pipeline that ``config`` describes. Ours come after the others, who insist on their statistics' name."""
        made: dict[int, Condenser] = {}
        for index, inner in sorted(enumerate(config.condensers), key=lambda item: isinstance(item[1], StrategyConfig)):
            made[index] = Condenser.from_config(inner, llm_registry)
        return cls(*(made[index] for index in sorted(made)))


def condensers_in(condenser: Condenser) -> list[StrategyCondenser]:
    """Our condensers: ``condenser`` itself, or those in it."""
    if isinstance(condenser, StrategyCondenser):
        return [condenser]
    inner = condenser.condensers if isinstance(condenser, CondenserPipeline) else ()
    return [ours for part in inner for ours in condensers_in(part)]
