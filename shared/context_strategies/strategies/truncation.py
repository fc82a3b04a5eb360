"""Only the newest turns that fit: blind truncation."""

from dataclasses import replace
from typing import Literal

from pydantic import Field, PositiveInt

from context_strategies.context import Context, Keep, build
from context_strategies.history import History
from context_strategies.strategies.base import Bounded, State
from context_strategies.terms import Terms


class Truncation(Bounded):
    """Blind: only the newest whole turns that fit, the newest one at least; what is older is lost without a word."""

    type: Literal["truncation"] = "truncation"
    keep_tokens: PositiveInt = Field(
        default=3000,
        description="Estimated tokens of turns kept verbatim after the task. Smaller is cheaper and forgets sooner.",
    )

    def step(self, state: State, history: History, terms: Terms) -> State:  # noqa: ARG002 - the protocol's
        """Give up the oldest turns until the rest fits; a longer history never fits more, so none comes back."""
        first = state.boundary + 1
        while first < history.turns and history.tokens(history.start_of(first)) > self.keep_tokens:
            first += 1
        return state if first == state.boundary + 1 else replace(state, boundary=history.loose_end(first - 1))

    def render(self, state: State, history: History) -> Context:
        """The task and the turns that fit."""
        head = history.start_of(1)
        edits = [Keep(0, head), Keep(history.start_of(state.boundary + 1), len(history))]
        return build(history, edits, settled=head - 1)
