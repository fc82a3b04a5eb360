"""The best masking schedule in hindsight: the limit that a refresh rule is measured against."""

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from context_strategies.masks import Hide, masks_of
from context_strategies.measure import Measure
from context_strategies.placeholder import Placeholder
from context_strategies.prices import Prices
from context_strategies.replay import Weighed, output_of

if TYPE_CHECKING:
    from context_strategies.history import History

Floats = NDArray[np.float64]


def optimum(run: Weighed, prices: Prices, window: int = 10, hide: Hide | None = None) -> float:
    """The least that ``run`` can cost, in US dollars, over all schedules that mask turns older than ``window``.

    Dynamic programming over (call, boundary): a boundary never goes back, a move rewrites what stands behind the first
    message it hides, and automatic prefix caching without a minimum holds the rest. O(calls x turns^2), vectorized.
    """
    history = run.trajectory.history
    table = _Table(run, hide or Placeholder())
    best = np.array([0.0])
    sent = np.array([0.0])
    seen = 0
    for call in run.trajectory.calls:
        while seen < history.turns and history.end_of(seen + 1) <= call.upto:
            seen += 1
        reach = max(seen - window, 0) + 1
        prompt = table.prompts(call.upto, reach)
        best, sent = _grown(best, reach, np.inf), _grown(sent, reach, 0.0)
        stay = best + _cost(prices, prompt, np.minimum(sent, prompt))
        kept = np.minimum(table.prefix[:reach], sent)
        move = best[:, None] + _cost(prices, prompt[None, :], np.minimum(kept[:, None], prompt[None, :]))
        allowed = table.first[:reach, None] < table.ends[None, :reach]
        best = np.minimum(stay, np.where(allowed, move, np.inf).min(axis=0))
        best += _by_tier(prices, prompt, [rates.output for _, rates in prices.tiers]) * output_of(run, call)
        sent = prompt
    return float(best.min())


class _Table:
    """Sizes by boundary: ``ends`` the message index a boundary masks up to, ``first`` the first message hidden by a
    move from it, ``prefix`` the tokens before that message.
    """

    def __init__(self, run: Weighed, hide: Hide) -> None:
        history: History = run.trajectory.history
        measure = Measure(history, run.sizes, run.counter.count)
        masks = masks_of(history, hide)
        turns = history.turns
        length = len(history)
        ends = [0, *(history.end_of(turn) for turn in range(1, turns + 1))]
        firsts = [masks.first(end, length) for end in ends]
        self.ends = np.array(ends)
        self.first = np.array([length if first is None else first for first in firsts])
        self._saved = np.array([measure.saving(hide, 0, end) for end in ends], dtype=float)
        self._measure = measure
        raw = np.array([measure.span(0, first) for first in self.first], dtype=float)
        self.prefix: Floats = raw - self._saved

    def prompts(self, upto: int, reach: int) -> Floats:
        """Tokens of a request over ``[0, upto)`` under each of the first ``reach`` boundaries."""
        return self._measure.span(0, upto) - self._saved[:reach]


def _grown(values: Floats, length: int, fill: float) -> Floats:
    return np.concatenate([values, np.full(max(length - len(values), 0), fill)])


def _cost(prices: Prices, prompt: Floats, cached: Floats) -> Floats:
    """Input cost of requests, as :meth:`Prices.request` has it."""
    read = _by_tier(prices, prompt, [rates.cache_read for _, rates in prices.tiers])
    write = _by_tier(prices, prompt, [max(rates.cache_write, rates.input) for _, rates in prices.tiers])
    return cached * read + (prompt - cached) * write


def _by_tier(prices: Prices, prompt: Floats, values: list[float]) -> Floats:
    """The value of the tier that prices each prompt."""
    thresholds = np.array([threshold for threshold, _ in prices.tiers])
    side: Literal["left", "right"] = "right" if prices.inclusive else "left"
    return np.array(values)[np.maximum(np.searchsorted(thresholds, prompt, side=side) - 1, 0)]
