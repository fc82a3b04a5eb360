"""Old turns become one running summary."""

from functools import cached_property
from typing import Literal

from pydantic import Field, NonNegativeInt

from context_strategies.context import Context
from context_strategies.history import History
from context_strategies.strategies.base import EVERY, WINDOW, Every, State, Summarized
from context_strategies.strategies.folding import Folding, shown
from context_strategies.summarizers.base import SummaryRequest
from context_strategies.terms import Terms


class LLMSummary(Summarized):
    """When every + window turns are unsummarized, the oldest of them are folded into one running summary."""

    type: Literal["llm_summary"] = "llm_summary"
    every: Every = Field(default=21, description=EVERY)
    window: NonNegativeInt = Field(default=10, description=WINDOW)

    @cached_property
    def folding(self) -> Folding:
        """When turns are folded into the summary."""
        return Folding(self.every, self.window, self.at_tokens, self.at_fraction, self.preserve)

    def step(self, state: State, history: History, terms: Terms) -> State | SummaryRequest:
        """Ask for a summary if one is due."""
        return self.folding.step(state, history, terms, self.render)

    def render(self, state: State, history: History) -> Context:
        """The task, the summary, and the turns behind it (masked where no summary could be had)."""
        return shown(state, history)
