"""Observations older than a window become placeholders; reasoning and actions stay."""

from functools import cached_property
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, NonNegativeInt

from context_strategies.context import Context, build
from context_strategies.history import History
from context_strategies.placeholder import TEMPLATE, Placeholder, Tagged, check_template
from context_strategies.refresh import BREAK_EVEN, Refresh
from context_strategies.strategies.base import PRESERVE, REFRESH, WINDOW, Bounded, Pattern, State
from context_strategies.strategies.boundary import Boundary
from context_strategies.terms import Terms


class Masking(Bounded):
    """Observations older than the window become a placeholder; reasoning and actions stay."""

    type: Literal["masking"] = "masking"
    window: NonNegativeInt = Field(default=10, description=WINDOW)
    refresh: Refresh = Field(default=BREAK_EVEN, description=REFRESH)
    keep_facts: NonNegativeInt = Field(
        default=0,
        description="Names, paths and numbers of a hidden output that its placeholder keeps, those most likely needed "
        "first; about 5 tokens each.",
    )
    keep_lines: NonNegativeInt = Field(
        default=0, description="Lines of each end of a hidden output that its placeholder keeps."
    )
    preserve: tuple[Pattern, ...] = Field(default=(), description=PRESERVE)
    keep_tags: tuple[str, ...] = Field(
        default=("keep_output",), description="Observations with one of these tags are never hidden."
    )
    drop_tags: tuple[str, ...] = Field(
        default=("remove_output",),
        description="Observations with one of these tags are hidden at once, whatever the window.",
    )
    placeholder: Annotated[str, AfterValidator(check_template)] = Field(
        default=TEMPLATE,
        description="What stands for a hidden output; may name {command}, {size}, {lines}, {characters}.",
    )

    @cached_property
    def _boundary(self) -> Boundary:
        hide = Placeholder(self.placeholder, self.keep_facts, self.keep_lines, frozenset(self.keep_tags), self.preserve)
        return Boundary(self.window, self.refresh, Tagged(hide, frozenset(self.drop_tags)))

    def step(self, state: State, history: History, terms: Terms) -> State:
        """Move the boundary if it is time."""
        return self._boundary.move(state, history, terms)

    def render(self, state: State, history: History) -> Context:
        """The history with old observations masked."""
        boundary = self._boundary
        return build(history, boundary.masked(state, history), boundary.settled(state, history))
