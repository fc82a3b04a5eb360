"""What a strategy decides, as edits on a history, and the rules no context may break.

A :class:`Context` covers the history with stretches: kept, masked, summarized, dropped. The rules hold by construction,
whatever a strategy asks for: the task is always there; a tool call and its answers are kept or dropped together; a call
that waits for its answer is never cut; no message is edited twice; no edit makes the context larger.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import NamedTuple

from context_strategies.history import History
from context_strategies.masks import Hide, masks_of
from context_strategies.tokens import estimate


@dataclass(frozen=True, slots=True)
class Keep:
    """Messages ``[start, stop)`` stay as they are."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Mask:
    """Observations in ``[start, stop)`` become what ``hide`` makes of them, where that is shorter."""

    start: int
    stop: int
    hide: Hide


@dataclass(frozen=True, slots=True)
class Summarize:
    """Messages ``[start, stop)`` but the task become one message of ``text``."""

    start: int
    stop: int
    text: str


@dataclass(frozen=True, slots=True)
class Drop:
    """Messages ``[start, stop)`` but the task go."""

    start: int
    stop: int


Edit = Keep | Mask | Summarize | Drop

SHOWN = (Keep, Mask)
"""Edits that show every message but the orphans."""


class Part(NamedTuple):
    """One message of a request: the history's message at ``place`` (None for a summary) with ``text`` (None: its
    own).
    """

    place: int | None
    text: str | None


@dataclass(frozen=True, slots=True)
class Context:
    """The messages of one request, made by :func:`build` only.

    ``edits`` cover ``[0, length)`` of the history in order, without gaps. ``settled`` is the settled end: the index of
    the last message before the oldest observation that the strategy may still hide, None where it hides nothing.
    ``corrections`` say where what the strategy asked for broke a rule. ``marks`` are the indices of the messages to set
    a cache mark at, for providers that cache up to marks: the settled end, and the one of the request before, from
    which this request still reads when the settled end has moved further than a provider looks back.
    """

    history: History
    length: int
    edits: tuple[Edit, ...]
    settled: int | None = None
    corrections: tuple[str, ...] = ()
    marks: tuple[int, ...] = ()

    def marked(self, before: "Context | None") -> "Context":
        """The same with cache marks: at its settled end, and at that of the one ``before``."""
        ends = {context.settled for context in (before, self) if context is not None and context.settled is not None}
        marks = tuple(sorted(end for end in ends if end >= 0))
        return replace(self, marks=marks)

    def __iter__(self) -> Iterator[Part]:
        """The request's messages in order."""
        history = self.history
        for edit in self.edits:
            if isinstance(edit, SHOWN):
                masks = masks_of(history, edit.hide) if isinstance(edit, Mask) else None
                for index in range(edit.start, edit.stop):
                    if index not in history.orphans:
                        yield Part(index, masks.text(index) if masks else None)
                continue
            if isinstance(edit, Summarize):
                yield Part(None, edit.text)
            for index in history.protected_in(edit.start, edit.stop):
                yield Part(index, None)

    @property
    def marked_parts(self) -> list[int]:
        """Positions in the request of the messages to mark; where one is not shown, of the last one before it that
        is.
        """
        found = (self._position(mark) for mark in self.marks)
        return sorted({position for position in found if position is not None})

    def _position(self, index: int) -> int | None:
        """Where message ``index`` stands in the request, or the last one before it; a step for each stretch."""
        position, found = 0, None
        for edit in self.edits:
            if edit.start > index:
                break
            upto = self._shown(edit, min(edit.stop, index + 1))
            position += isinstance(edit, Summarize)
            found = position + upto - 1 if upto else found
            position += self._shown(edit, edit.stop)
        return found

    def _shown(self, edit: Edit, stop: int) -> int:
        """How many of the history's messages before ``stop`` a stretch shows."""
        if isinstance(edit, SHOWN):
            return stop - edit.start - sum(edit.start <= index < stop for index in self.history.orphans)
        return len(self.history.protected_in(edit.start, stop))

    @property
    def tokens(self) -> int:
        """Estimated tokens of the request."""
        return sum([weigh(self.history, edit) for edit in self.edits])

    def tokens_before(self, stop: int) -> int:
        """Those of its stretches and parts of stretches before message ``stop``."""
        return sum([weigh(self.history, edit, min(edit.stop, stop)) for edit in self.edits if edit.start < stop])

    @property
    def hidden(self) -> int:
        """How many messages of the history are not shown as they are: masked, summarized or gone."""
        return sum([_hidden(self.history, edit) for edit in self.edits])


def _hidden(history: History, edit: Edit) -> int:
    if isinstance(edit, Keep):
        return 0
    if isinstance(edit, Mask):
        return masks_of(history, edit.hide).count(edit.start, edit.stop)
    orphans = sum(edit.start <= index < edit.stop for index in history.orphans)
    return edit.stop - edit.start - len(history.protected_in(edit.start, edit.stop)) - orphans


def weigh(history: History, edit: Edit, until: int | None = None) -> int:
    """Estimated tokens of one stretch of a context, or of the part of it before message ``until``."""
    stop = edit.stop if until is None else until
    if isinstance(edit, Keep):
        return history.tokens(edit.start, stop)
    if isinstance(edit, Mask):
        return history.tokens(edit.start, stop) - masks_of(history, edit.hide).saved(edit.start, stop)
    summary = estimate(edit.text) if isinstance(edit, Summarize) else 0
    return summary + sum(history[i].tokens for i in history.protected_in(edit.start, stop))


def build(history: History, edits: Iterable[Edit], settled: int | None = None) -> Context:
    """The context nearest to ``edits`` that breaks no rule; what no edit names is dropped."""
    corrections: list[str] = []
    laid = list(_lay(len(history), edits, corrections))
    safe = [part for edit in laid for part in _safe(history, edit, corrections)]
    return Context(history, len(history), tuple(safe), settled, tuple(corrections))


def _lay(length: int, edits: Iterable[Edit], corrections: list[str]) -> Iterator[Edit]:
    """``edits`` in order, clipped so that none overlaps the one before, the gaps filled with drops."""
    cursor = 0
    for edit in sorted(edits, key=attrgetter("start")):
        whole = cursor <= edit.start and edit.stop <= length
        laid = edit if whole else _clipped(edit, max(edit.start, cursor), min(edit.stop, length), corrections)
        if laid.start >= laid.stop:
            continue
        if laid.start > cursor:
            yield Drop(cursor, laid.start)
        yield laid
        cursor = laid.stop
    if cursor < length:
        yield Drop(cursor, length)


def _clipped(edit: Edit, start: int, stop: int, corrections: list[str]) -> Edit:
    corrections.append(f"edit of [{edit.start}, {edit.stop}) clipped to [{start}, {max(start, stop)})")
    return replace(edit, start=start, stop=stop)


def _safe(history: History, edit: Edit, corrections: list[str]) -> Sequence[Edit]:
    """``edit``, or if it removes messages, the part of it between safe cuts and the rest kept."""
    if isinstance(edit, SHOWN):
        return [edit]
    start, stop = _cut_after(history, edit.start), _cut_before(history, edit.stop)
    if start >= stop:
        corrections.append(f"messages [{edit.start}, {edit.stop}) kept: no safe cut")
        return [Keep(edit.start, edit.stop)]
    moved = (start, stop) != (edit.start, edit.stop)
    if moved:
        corrections.append(f"cut of [{edit.start}, {edit.stop}) moved to [{start}, {stop})")
    inner = replace(edit, start=start, stop=stop) if moved else edit
    if weigh(history, inner) > history.tokens(start, stop):
        corrections.append(f"summary of [{start}, {stop}) refused: longer than what it replaces")
        return [Keep(edit.start, edit.stop)]
    if not moved:
        return [edit]
    around = (Keep(edit.start, start), inner, Keep(stop, edit.stop))
    return [part for part in around if part.start < part.stop]


def _cut_after(history: History, index: int) -> int:
    """The first place from ``index`` on where a turn starts that may be cut from the one before."""
    turn = history.turn_of(index)
    place = index if turn == 0 or history.start_of(turn) == index else history.end_of(turn)
    while place < len(history) and history[place].tied and history.turn_of(place) > 1:
        place = history.end_of(history.turn_of(place))
    return place


def _cut_before(history: History, index: int) -> int:
    """The last such place up to ``index``; the history's end counts unless a call waits there."""
    if index == len(history) and not history.pending:
        return index
    turn = history.turn_of(min(index, len(history) - 1))
    return index if turn == 0 else history.end_of(history.loose_end(turn - 1))
