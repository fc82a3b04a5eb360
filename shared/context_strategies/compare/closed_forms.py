"""Tokens that a run of given sizes reads, by arithmetic alone: the check on a replay of the same run.

Call ``t`` reads the base, the actions and outputs of the calls before it, and so output ``i`` (from 1) is read by
``steps - i`` calls.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from context_strategies.strategies import Masking, Raw, Strategy, Truncation


@dataclass(frozen=True, slots=True)
class Sizes:
    """A run before there is one, in tokens: the ``base`` (system prompt and task), each ``action`` with its reasoning,
    and the ``outputs`` of its calls. The last call's output is never read.
    """

    base: int
    action: int
    outputs: tuple[int, ...]

    @property
    def steps(self) -> int:
        """Calls."""
        return len(self.outputs)


def raw_tokens(sizes: Sizes) -> int:
    """Everything again at each call: quadratic in the steps."""
    return _base(sizes) + sum(
        (sizes.action + output) * (sizes.steps - step) for step, output in enumerate(sizes.outputs, 1)
    )


def masked_tokens(sizes: Sizes, window: int, placeholders: Sequence[int]) -> int:
    """Each output for ``window`` calls, then its placeholder where that is shorter; the boundary moves every turn."""
    total = _base(sizes)
    for step, (output, placeholder) in enumerate(zip(sizes.outputs, placeholders, strict=True), 1):
        calls = sizes.steps - step
        shown = min(window, calls)
        total += sizes.action * calls + output * shown + min(output, placeholder) * (calls - shown)
    return total


def truncated_tokens(sizes: Sizes, keep_tokens: int) -> int:
    """The newest turns that fit in ``keep_tokens``, and one in any case."""
    turns = [sizes.action + output for output in sizes.outputs]
    total, start, kept = _base(sizes), 0, 0
    for last, turn in enumerate(turns[:-1]):
        kept += turn
        while kept > keep_tokens and start < last:
            kept -= turns[start]
            start += 1
        total += kept
    return total


def _base(sizes: Sizes) -> int:
    return sizes.base * sizes.steps


def closed_form(strategy: Strategy, sizes: Sizes, placeholders: Sequence[int], limit: int) -> int | None:
    """Prompt tokens of a run under ``strategy``; None where no form is exact.

    There is one for raw, for masking every turn without facts in its placeholders, whose sizes are given, and for
    truncation; but not where a request might reach ``limit`` (0: none), above which contexts are tightened.
    """
    if isinstance(strategy, Raw):
        return raw_tokens(sizes)
    if limit and sizes.base + sizes.action * sizes.steps + sum(sizes.outputs) > limit:
        return None
    if isinstance(strategy, Masking) and strategy.refresh == 1 and not strategy.keep_facts:
        return masked_tokens(sizes, strategy.window, placeholders)
    if isinstance(strategy, Truncation):
        return truncated_tokens(sizes, strategy.keep_tokens)
    return None
