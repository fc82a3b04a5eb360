"""Keeping a context below its limit, whatever the strategy: tighten it rather than end the run.

In this order, each only as far as needed: halve the turns shown verbatim down to one; put a digest in the place of all
but the last turn; cut the middle out of the last turn's outputs; give up the digest. What was tightened stays so.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from context_strategies.context import Context, Drop, Edit, Keep, Mask, Summarize, build
from context_strategies.cut import water_level
from context_strategies.history import History, Kind, Message
from context_strategies.masks import Hide, side_by_side
from context_strategies.placeholder import Clipped, Placeholder, Tagged
from context_strategies.strategies.folding import summary_message
from context_strategies.summarizers.base import SummarizerError, SummaryRequest
from context_strategies.summarizers.extractive import Extractive
from context_strategies.tokens import estimate

PLACEHOLDER = Placeholder()
FLOOR = 100
"""Estimated tokens below which an output is not cut further."""


@dataclass(frozen=True, slots=True)
class Tight:
    """How far a context has been tightened: observations of turns up to ``boundary`` are masked, turns up to ``folded``
    stand in ``digest``, and the outputs of some turns are cut to so many tokens (``clips``: turn, tokens).
    """

    boundary: int = 0
    folded: int = 0
    digest: str = ""
    clips: tuple[tuple[int, int], ...] = ()


Choice = Callable[[Message, str | None, str | None], str | None]
"""Which of two texts a message becomes."""


@dataclass(frozen=True, slots=True)
class Both:
    """What ``choose`` takes of what two ways to hide make of a message."""

    first: Hide
    second: Hide
    choose: Choice

    def __call__(self, message: Message) -> str | None:
        """The text instead of ``message``'s; None if it is to stay."""
        return self.choose(message, self.first(message), self.second(message))

    def stream(self, messages: Iterator[Message]) -> Iterator[str | None]:
        """The texts instead of a conversation's messages."""
        return (self.choose(message, *texts) for message, texts in side_by_side(messages, self.first, self.second))


def _first_that_saves(message: Message, first: str | None, second: str | None) -> str | None:
    return first if first is not None and estimate(first) < message.tokens else second


def _shorter(_message: Message, first: str | None, second: str | None) -> str | None:
    return min((text for text in (first, second) if text is not None), key=estimate, default=None)


def tighten(tight: Tight, context: Context, limit: int) -> Tight:
    """``tight``, advanced until ``context`` under it fits into ``limit`` estimated tokens or nothing more can go."""
    history = context.history
    while overlay(tight, context).tokens > limit:
        shown = history.turns - tight.boundary
        if shown > 1:
            tight = replace(tight, boundary=history.turns - shown // 2)
        elif tight.folded < history.loose_end(history.turns - 1):
            tight = _fold(tight, context, limit)
        else:
            clipped = _clip(tight, context, limit)
            fits = overlay(clipped, context).tokens <= limit
            return clipped if fits else replace(clipped, digest="")
    return tight


def overlay(tight: Tight, context: Context) -> Context:
    """``context`` as ``tight`` has it."""
    if tight == Tight():
        return context
    history = context.history
    head = history.start_of(1)
    edits = _rehidden(context.edits, head, history.end_of(tight.boundary), _masked)
    for turn, tokens in tight.clips:
        edits = _rehidden(edits, history.start_of(turn), history.end_of(turn), partial(_clipped, tokens))
    stop = history.end_of(tight.folded)
    if tight.folded and not any(isinstance(edit, Summarize) and edit.stop > stop for edit in edits):
        before = [replace(edit, stop=min(edit.stop, head)) for edit in edits if edit.start < head]
        behind = [replace(edit, start=max(edit.start, stop)) for edit in edits if edit.stop > stop]
        edits = [*before, *_digests(tight, head, stop), *behind]
    return replace(build(history, edits, context.settled), corrections=context.corrections)


def _digests(tight: Tight, start: int, stop: int) -> list[Edit]:
    """The digest in its place; nothing where there was no room for one."""
    return [Summarize(start, stop, summary_message(tight.digest, tight.folded))] if tight.digest else []


def _rehidden(edits: Iterable[Edit], start: int, stop: int, hide: Callable[[Keep | Mask], Hide]) -> list[Edit]:
    """``edits`` with what is shown of ``[start, stop)`` hidden by what ``hide`` makes of each stretch."""
    return [part for edit in edits for part in _split(edit, start, stop, hide)]


def _split(edit: Edit, start: int, stop: int, hide: Callable[[Keep | Mask], Hide]) -> list[Edit]:
    inner, end = max(edit.start, start), min(edit.stop, stop)
    if inner >= end or isinstance(edit, Summarize | Drop):
        return [edit]
    around = (replace(edit, stop=inner), Mask(inner, end, hide(edit)), replace(edit, start=end))
    return [part for part in around if part.start < part.stop]


def _masked(edit: Keep | Mask) -> Hide:
    """The strategy's own placeholder, whose bytes then stay when its boundary comes along; the usual one else."""
    if isinstance(edit, Keep):
        return PLACEHOLDER
    own = edit.hide.placeholder if isinstance(edit.hide, Tagged) else edit.hide
    return Both(own, PLACEHOLDER, _first_that_saves)


def _clipped(tokens: int, edit: Keep | Mask) -> Hide:
    """Cut, unless what is there instead is shorter: a later placeholder may be longer than what was left."""
    return Clipped(tokens) if isinstance(edit, Keep) else Both(edit.hide, Clipped(tokens), _shorter)


def _fold(tight: Tight, context: Context, limit: int) -> Tight:
    """All turns but the last (and those it is tied to) in a digest that leaves room for the rest, or gone where none
    would fit.
    """
    history = context.history
    last_turn = history.loose_end(history.turns - 1)
    gone = replace(tight, folded=last_turn, digest="")
    least = replace(gone, clips=(*tight.clips, (history.turns, FLOOR)))
    freed = overlay(tight, context).tokens - overlay(gone, context).tokens
    left = limit - overlay(least, context).tokens
    room = min(max(limit // 4, FLOOR), left, freed) - estimate(summary_message("", last_turn))
    return replace(gone, digest=_digest(tight, history, last_turn, room)) if room > 0 else gone


def _digest(tight: Tight, history: History, last_turn: int, limit: int) -> str:
    first_turn = tight.folded + 1 if tight.digest else 1
    start, stop = history.start_of(first_turn), history.end_of(last_turn)
    task = "\n\n".join(message.text for message in history.tasks(stop))
    messages = tuple(history.messages[start:stop])
    try:
        return Extractive()(SummaryRequest(task, tight.digest, messages, first_turn, last_turn, limit=limit)).text
    except SummarizerError:
        return ""


def _clip(tight: Tight, context: Context, limit: int) -> Tight:
    """Cut the last turn's outputs until the context fits, the longest first, none below ``FLOOR``."""
    history = context.history
    turn = history.turns
    others = tuple(clip for clip in tight.clips if tight.folded < clip[0] != turn)
    bare = overlay(replace(tight, clips=others), context)
    last = range(history.start_of(turn), history.end_of(turn))
    whole = [part.place for part in bare if part.text is None and part.place in last]
    sizes = [history[i].tokens for i in whole if i is not None and history[i].kind is Kind.OBSERVATION]
    level = max(_rounded(water_level(sizes, limit - bare.tokens + sum(sizes))), FLOOR)
    if level >= min(max(sizes, default=0), dict(tight.clips).get(turn, level + 1)):
        return tight
    return replace(tight, clips=(*others, (turn, level)))


def _rounded(tokens: int) -> int:
    """``tokens`` down to one of eight levels an octave: what each level makes of a conversation is kept."""
    return tokens - tokens % (1 << max(tokens.bit_length() - 4, 0))
