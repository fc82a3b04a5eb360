"""Two tiers: the newest raw outputs, and a running summary renewed every few turns."""

from functools import cached_property
from typing import Literal

from pydantic import Field, NonNegativeInt

from context_strategies.context import Context
from context_strategies.history import History
from context_strategies.strategies.base import EVERY, Every, State, Summarized
from context_strategies.strategies.folding import Folding, shown
from context_strategies.summarizers.base import SummaryRequest
from context_strategies.terms import Terms


class RollingSummary(Summarized):
    """The last raw outputs and a running summary, renewed every few turns by a cheap model, tagged facts verbatim."""

    type: Literal["rolling_summary"] = "rolling_summary"
    every: Every = Field(default=4, description=EVERY)
    buffer: NonNegativeInt = Field(
        default=2, description="Newest turns that stay verbatim when the summary is renewed."
    )

    @cached_property
    def folding(self) -> Folding:
        """When turns are folded into the summary."""
        return Folding(
            self.every, self.buffer, self.at_tokens, self.at_fraction, self.preserve, carry=True, rolling=True
        )

    def step(self, state: State, history: History, terms: Terms) -> State | SummaryRequest:
        """Ask for a summary if one is due."""
        return self.folding.step(state, history, terms, self.render)

    def render(self, state: State, history: History) -> Context:
        """The task, the summary, and the turns behind it (masked where no summary could be had)."""
        return shown(state, history)
