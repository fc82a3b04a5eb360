"""Masking now, a summary only when many turns have piled up."""

from functools import cached_property
from typing import Literal

from pydantic import Field, NonNegativeInt

from context_strategies.context import Context, build
from context_strategies.history import History
from context_strategies.placeholder import Placeholder, Tagged
from context_strategies.refresh import BREAK_EVEN, Refresh
from context_strategies.strategies.base import EVERY, REFRESH, WINDOW, Every, State, Summarized
from context_strategies.strategies.boundary import Boundary
from context_strategies.strategies.folding import Folding, fixed_tokens, folded
from context_strategies.summarizers.base import SummaryRequest
from context_strategies.terms import Terms


class Hybrid(Summarized):
    """Masking, and a running summary once many turns have piled up; the summarizer reads them unmasked."""

    type: Literal["hybrid"] = "hybrid"
    window: NonNegativeInt = Field(default=10, description=WINDOW)
    every: Every = Field(default=43, description=EVERY)
    refresh: Refresh = Field(default=BREAK_EVEN, description=REFRESH)

    @cached_property
    def _boundary(self) -> Boundary:
        return Boundary(self.window, self.refresh, Tagged(Placeholder()))

    @cached_property
    def folding(self) -> Folding:
        """When turns are folded into the summary."""
        return Folding(self.every, self.window, self.at_tokens, self.at_fraction, self.preserve, carry=True)

    def step(self, state: State, history: History, terms: Terms) -> State | SummaryRequest:
        """Ask for a summary if one is due; else move the masking boundary if it is time."""
        outcome = self.folding.step(state, history, terms, self.render)
        if isinstance(outcome, SummaryRequest):
            return outcome
        start = history.end_of(outcome.summarized)
        return self._boundary.move(outcome, history, terms, start, fixed_tokens(outcome, history))

    def render(self, state: State, history: History) -> Context:
        """The task, the summary, and the turns behind it, old observations masked."""
        rest = self._boundary.masked(state, history, history.end_of(state.summarized))
        return build(history, folded(state, history, rest), self._boundary.settled(state, history))
