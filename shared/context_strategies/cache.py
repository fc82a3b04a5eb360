"""Models of a provider's prompt cache: how much of a request is read from it, and written to it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from context_strategies.context import SHOWN, Context, Summarize
from context_strategies.history import Kind
from context_strategies.measure import Measure
from context_strategies.prices import Prices, Usage

LOOK_BACK = 20
"""Blocks before a mark in which a provider with explicit marks finds an earlier entry (Anthropic's documentation)."""

MARKED = frozenset({Kind.OBSERVATION, Kind.TASK, Kind.NOTE, Kind.SUMMARY})
"""Kinds of message that scaffolds mark: those with a user's or tool's role."""


class Cache(Protocol):
    """The cache as one run meets it, request after request."""

    def usage(self, measure: Measure, before: Context | None, now: Context, output: int) -> Usage:
        """Tokens of the request ``now``, which follows ``before``, and of its answer."""
        ...


@dataclass(frozen=True, slots=True)
class NoCache:
    """Nothing is cached."""

    def usage(self, measure: Measure, before: Context | None, now: Context, output: int) -> Usage:  # noqa: ARG002 - the protocol's
        """The whole request is read as new."""
        return Usage(measure.tokens(now), output=output)


@dataclass(frozen=True, slots=True)
class Automatic:
    """Every request is cached; the next reads the prefix it shares with it.

    A prefix shorter than ``minimum`` tokens is not cached, a longer one in steps of ``granularity`` tokens.
    """

    prices: Prices
    minimum: int = 0
    granularity: int = 1

    def usage(self, measure: Measure, before: Context | None, now: Context, output: int) -> Usage:
        """What the request shares with the one before is read, the rest written."""
        shared = measure.shared(before, now).tokens if before else 0
        cached = 0 if shared < self.minimum else shared // self.granularity * self.granularity
        return self.prices.usage(measure.tokens(now), cached, output)


@dataclass(slots=True)
class Marked:
    """Only prefixes up to a mark are cached, and found again from a mark at most ``LOOK_BACK`` blocks behind them.

    The scaffold marks the newest two messages of user or tool role, as SWE-agent does; ``settled`` adds the
    context's own marks.
    """

    prices: Prices
    settled: bool = True
    minimum: int = 0
    _entries: list[int] = field(default_factory=list)

    def usage(self, measure: Measure, before: Context | None, now: Context, output: int) -> Usage:
        """The longest entry found from a mark is read; from there to the last mark is written."""
        shared = measure.shared(before, now).index if before else 0
        self._entries = [entry for entry in self._entries if entry <= shared]
        marks = sorted(set(self._marks(now)))
        found = max((self._find(now, mark) for mark in marks), default=0)
        cached = measure.tokens(now, found)
        last = measure.tokens(now, marks[-1]) if marks else 0
        written = last - cached if last >= self.minimum else 0
        kept = [mark for mark in marks if measure.tokens(now, mark) >= self.minimum]
        self._entries = sorted({*self._entries, *kept})
        return Usage(measure.tokens(now), cached, written, output)

    def _marks(self, context: Context) -> Iterator[int]:
        """Where the marks stand: one past each marked message."""
        newest = (
            index
            for edit in reversed(context.edits)
            if isinstance(edit, SHOWN)
            for index in range(edit.stop - 1, edit.start - 1, -1)
            if context.history[index].kind in MARKED and index not in context.history.orphans
        )
        yield from (index + 1 for index, _ in zip(newest, range(2), strict=False))
        if self.settled:
            yield from (mark + 1 for mark in context.marks)

    def _find(self, context: Context, mark: int) -> int:
        """The longest entry that a mark finds; 0 if none."""
        entry = max((entry for entry in self._entries if entry <= mark), default=0)
        return entry if entry and _blocks(context, entry, mark) <= LOOK_BACK else 0


def _blocks(context: Context, start: int, stop: int) -> int:
    """Content blocks of the request between two places of the history: one a message and one a tool call."""
    history = context.history
    blocks = 0
    for edit in context.edits:
        first, end = max(edit.start, start), min(edit.stop, stop)
        if first >= end:
            continue
        shown = range(first, end) if isinstance(edit, SHOWN) else history.protected_in(first, end)
        blocks += isinstance(edit, Summarize) + len(shown)
        blocks += sum(len(history[i].call_ids) for i in shown if history[i].kind is Kind.ACTION)
    return blocks
