"""A condenser that OpenHands' command line takes: it keeps only subclasses of the SDK's summarizing one."""

import asyncio
from typing import Any, Self

from openhands.sdk.context.condenser import LLMSummarizingCondenser
from openhands.sdk.context.view import View
from openhands.sdk.event import Condensation
from openhands.sdk.llm import LLM
from pydantic import ConfigDict, Field, PrivateAttr, field_validator, model_validator

from context_strategies.strategies import Strategy, choose
from openhands_plugin.v1.condensers import EVENTS, snapshot, with_own_usage
from openhands_plugin.v1.conversations import Conversations


class ContextCondenser(LLMSummarizingCondenser):
    """Any strategy, as ``masking:window=10`` or as a mapping with a ``type``.

    ``llm`` writes summaries where the strategy's summarizer is host. The other inherited fields have no effect.
    """

    model_config = ConfigDict(extra="forbid")  # a misspelt field would be masking with its defaults, without a word

    strategy: str | dict[str, Any] = Field(default="masking", description="A strategy, as the command line spells it.")
    events: str | None = Field(default=None, description=EVENTS)
    _chosen: Strategy = PrivateAttr()
    _conversations: Conversations = PrivateAttr(default_factory=Conversations)
    _own_usage = field_validator("llm")(with_own_usage)

    @model_validator(mode="after")
    def _choose(self) -> Self:
        self._chosen = choose(self.strategy)
        return self

    def condense(self, view: View, agent_llm: LLM | None = None) -> View | Condensation:
        """The view as the strategy shows it, or what must be kept first, as an event.

        Raises NoCondensationAvailableException where a condensation was asked for and nothing is left to go.
        """
        return self._conversations.condense(self._chosen, view, agent_llm, own=self.llm, folder=self.events)

    async def acondense(self, view: View, agent_llm: LLM | None = None) -> View | Condensation:
        """The same in a thread, for a summary takes a while."""
        return await asyncio.to_thread(self.condense, snapshot(view), agent_llm)
