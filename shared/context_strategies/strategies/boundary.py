"""The masking boundary: what is masked behind it, and its moves."""

from dataclasses import dataclass, replace

from context_strategies.context import Mask
from context_strategies.history import History
from context_strategies.masks import masks_of
from context_strategies.placeholder import Placeholder, Tagged
from context_strategies.refresh import BREAK_EVEN, MinTokens, Offer, Refresh, decide
from context_strategies.strategies.base import State
from context_strategies.terms import Terms


@dataclass(frozen=True, slots=True)
class Boundary:
    """Masking by the turn: the newest ``window`` turns stay, older ones are hidden when ``refresh`` says.

    Observations that are ``tagged`` are hidden from the first, whatever their turn.
    """

    window: int
    refresh: Refresh
    tagged: Tagged

    def move(self, state: State, history: History, terms: Terms, start: int = 0, fixed: int = 0) -> State:
        """``state`` with the boundary where it belongs after the turn that has just ended.

        What is masked starts at message ``start``; ``fixed`` estimated tokens of the request stand before it.
        """
        oldest_shown = max(history.turns - self.window, state.boundary)
        if self.refresh == BREAK_EVEN:
            moves, account = decide(
                state.account, self._offer(state, history, oldest_shown, start, fixed), terms.prices
            )
            return replace(state, account=account, boundary=oldest_shown if moves else state.boundary)
        if isinstance(self.refresh, MinTokens):
            enough = self._saving(state, history, oldest_shown) >= self.refresh.min_tokens
            return replace(state, boundary=oldest_shown) if enough else state
        return replace(state, boundary=max(oldest_shown // self.refresh * self.refresh, state.boundary))

    def masked(self, state: State, history: History, start: int = 0) -> list[Mask]:
        """Stretches from message ``start`` to the history's end, masked up to the boundary; turn 0 is in no window."""
        first = max(history.start_of(1), start)
        boundary = max(history.end_of(state.boundary), first)
        before, behind = Mask(start, first, self.tagged), Mask(boundary, len(history), self.tagged)
        return [
            mask for mask in (before, Mask(first, boundary, self.tagged.placeholder), behind) if mask.start < mask.stop
        ]

    def settled(self, state: State, history: History) -> int:
        """The settled end: the last message before the oldest observation that may still be hidden."""
        first = masks_of(history, self.tagged.placeholder).first(self._start(state, history), len(history))
        return (len(history) if first is None else first) - 1

    def _start(self, state: State, history: History) -> int:
        return history.end_of(max(state.boundary, state.summarized))

    def _saving(self, state: State, history: History, boundary: int) -> int:
        start, stop = self._start(state, history), history.end_of(boundary)
        if start >= stop:
            return 0
        hidden = masks_of(history, self.tagged).saved(start, stop)
        return masks_of(history, self.tagged.placeholder).saved(start, stop) - hidden

    def _offer(self, state: State, history: History, boundary: int, start: int, fixed: int) -> Offer:
        hidden = sum(
            masks_of(history, mask.hide).saved(mask.start, mask.stop) for mask in self.masked(state, history, start)
        )
        prompt = fixed + history.tokens(start) - hidden
        first = masks_of(history, self.tagged.placeholder).first(self._start(state, history), history.end_of(boundary))
        prefix = prompt if first is None else max(prompt - history.tokens(first), 0)
        return Offer(prompt, self._saving(state, history, boundary), prefix, history.tokens(), history.output)


MASKED = Boundary(0, 1, Tagged(Placeholder()))
"""How turns are shown for which no summary could be had."""
