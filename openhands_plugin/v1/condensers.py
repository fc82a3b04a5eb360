"""The condensers: the core's strategies, with the core's fields, as the SDK's condensers.

``kind`` in JSON is the class's name. Importing :mod:`openhands_plugin.v1` is all that the SDK needs to know them.
"""

import asyncio
from abc import ABC
from typing import Annotated, cast

from openhands.sdk.context.condenser import CondenserBase
from openhands.sdk.context.view import View
from openhands.sdk.event import Condensation
from openhands.sdk.llm import LLM
from pydantic import AfterValidator, Field, PrivateAttr

from context_strategies.strategies import Hybrid, LLMSummary, Masking, RollingSummary, Settings, Strategy, Truncation
from openhands_plugin.v1.conversations import Conversations

EVENTS = (
    "Folder for a record of every decision, as JSON Lines, one file a conversation; the SDK's persistence folder "
    "puts it beside the conversation's events. The environment variable CONTEXT_STRATEGIES_EVENTS does the same."
)
LLM_FIELD = (
    "The model that writes summaries where summarizer is host; its calls count in the conversation's stats and budget "
    "under its usage_id. Without one the agent's own model writes them, under the agent's."
)
SHARED_IDS = frozenset({"default", "agent"})
"""Usage ids that the agent's model usually has: two models of one id, and the cost of the second is lost."""


def snapshot(view: View) -> View:
    """``view`` as it is now: the live one may grow while a thread reads it."""
    return view.model_copy(update={"events": list(view.events)})


def with_own_usage(llm: LLM | None) -> LLM | None:
    """``llm``; one that was given the agent's usage id with an id, and metrics, of its own."""
    if llm is None or llm.usage_id not in SHARED_IDS:
        return llm
    own = llm.model_copy(update={"usage_id": "condenser"})
    own.reset_metrics()
    return own


class StrategyCondenser(CondenserBase, Settings, ABC):
    """What the condensers have in common; each is its own strategy.

    An instance may serve any number of conversations: all it remembers can be had from their views again. An error
    in it is logged, and the whole view is shown.
    """

    events: str | None = Field(default=None, description=EVENTS)
    _conversations: Conversations = PrivateAttr(default_factory=Conversations)

    def condense(self, view: View, agent_llm: LLM | None = None) -> View | Condensation:
        """The view as the strategy shows it, or what must be kept first, as an event.

        Raises NoCondensationAvailableException where a condensation was asked for and nothing is left to go.
        """
        strategy = cast("Strategy", self)
        return self._conversations.condense(strategy, view, agent_llm, own=self.get_llm(), folder=self.events)

    async def acondense(self, view: View, agent_llm: LLM | None = None) -> View | Condensation:
        """The same in a thread, for a summary takes a while."""
        return await asyncio.to_thread(self.condense, snapshot(view), agent_llm)

    def get_llm(self) -> LLM | None:
        """The model that writes the summaries: here none."""
        return None

    def handles_condensation_requests(self) -> bool:
        """Yes: by showing half as much at most."""
        return True


class SummarizingCondenser(StrategyCondenser, ABC):
    """What the condensers that make summaries have in common."""

    llm: Annotated[LLM | None, AfterValidator(with_own_usage)] = Field(default=None, description=LLM_FIELD)

    def get_llm(self) -> LLM | None:
        """The model that writes the summaries; None: the agent's."""
        return self.llm


class MaskingCondenser(Masking, StrategyCondenser):
    """Observations older than the window become a placeholder; reasoning and actions stay."""


class TruncationCondenser(Truncation, StrategyCondenser):
    """Blind: only the newest whole turns that fit, the newest one at least; what is older is lost without a word."""


class LLMSummaryCondenser(LLMSummary, SummarizingCondenser):
    """When every + window turns are unsummarized, the oldest of them are folded into one running summary."""


class RollingSummaryCondenser(RollingSummary, SummarizingCondenser):
    """The last raw outputs and a running summary, renewed every few turns by a cheap model, tagged facts verbatim."""


class HybridCondenser(Hybrid, SummarizingCondenser):
    """Masking, and a running summary once many turns have piled up; the summarizer reads them unmasked."""
