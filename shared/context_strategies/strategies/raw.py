"""Everything, always: the baseline."""

from typing import Literal

from context_strategies.context import Context, Keep, build
from context_strategies.history import History
from context_strategies.strategies.base import Settings, State


class Raw(Settings):
    """Everything; the baseline. Its cost grows with the square of the run's length."""

    type: Literal["raw"] = "raw"

    def render(self, state: State, history: History) -> Context:  # noqa: ARG002 - the protocol's
        """The whole history."""
        return build(history, [Keep(0, len(history))])
