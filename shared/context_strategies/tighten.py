"""Keeping a context below its limit, whatever the strategy: tighten it rather than end the run.

In this order, each only as far as needed: halve the turns shown verbatim down to one; put a digest in the place of all but
the last turn; cut the middle out of the last turn's outputs. What was tightened stays so.
"""

from dataclasses import dataclass, replace

from context_strategies.context import Context, Drop, Edit, Hide, Keep, Mask, Summarize, build
from context_strategies.history import History, Kind, Message
from context_strategies.placeholder import Clipped, Placeholder
from context_strategies.strategies.folding import summary_message
from context_strategies.summarizers.base import SummaryRequest
from context_strategies.summarizers.extractive import Extractive

FLOOR = 100
"""Estimated tokens below which an output is not cut further."""


@dataclass(frozen=True, slots=True)
class Tight:
    """How far a context has been tightened: observations of turns up to ``boundary`` are masked, turns up to ``folded``
    stand in ``digest``, and the outputs of some turns are cut to so many tokens (``clips``: turn, tokens)."""

    boundary: int = 0
    folded: int = 0
    digest: str = ""
    clips: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Either:
    """What ``first`` makes of a message, or else ``second``."""

    first: Hide
    second: Hide

    def __call__(self, message: Message) -> str | None:
        """The text instead of ``message``'s; None if it is to stay."""
        text = self.first(message)
        return self.second(message) if text is None else text


def tighten(tight: Tight, context: Context, limit: int) -> Tight:
    """``tight``, advanced until ``context`` under it fits into ``limit`` estimated tokens or nothing more can go."""
    history = context.history
    while (excess := overlay(tight, context).tokens - limit) > 0:
        shown = history.turns - tight.boundary
        if shown > 1:
            tight = replace(tight, boundary=history.turns - shown // 2)
        elif tight.folded < history.turns - 1:
            tight = _fold(tight, history, limit)
        else:
            clipped = _clip(tight, overlay(tight, context), excess)
            if clipped == tight:
                return tight
            tight = clipped
    return tight


def overlay(tight: Tight, context: Context) -> Context:
    """``context`` as ``tight`` has it."""
    if tight == Tight():
        return context
    history = context.history
    edits: list[Edit] = list(context.edits)
    edits = _masked(edits, 0, history.end_of(tight.boundary), Placeholder())
    for turn, tokens in tight.clips:
        edits = _masked(edits, history.start_of(turn), history.end_of(turn), Clipped(tokens))
    if tight.folded:
        head, stop = history.start_of(1), history.end_of(tight.folded)
        behind = [replace(edit, start=max(edit.start, stop)) for edit in edits if edit.stop > stop]
        digest = Summarize(head, stop, summary_message(tight.digest, tight.folded))
        edits = [Keep(0, head), digest, *behind]
    return replace(build(history, edits, context.settled), corrections=context.corrections)


def _masked(edits: list[Edit], start: int, stop: int, hide: Hide) -> list[Edit]:
    """``edits`` with ``hide`` for what ``[start, stop)`` would still show in full."""
    return [part for edit in edits for part in _split(edit, start, stop, hide)]


def _split(edit: Edit, start: int, stop: int, hide: Hide) -> list[Edit]:
    inner, end = max(edit.start, start), min(edit.stop, stop)
    if inner >= end or isinstance(edit, Summarize | Drop):
        return [edit]
    masked = Mask(inner, end, Either(edit.hide, hide) if isinstance(edit, Mask) else hide)
    around = (replace(edit, stop=inner), masked, replace(edit, start=end))
    return [part for part in around if part.start < part.stop]


def _fold(tight: Tight, history: History, limit: int) -> Tight:
    last_turn = history.turns - 1
    start, stop = history.end_of(tight.folded), history.end_of(last_turn)
    task = "\n\n".join(m.text for m in history.messages[:stop] if m.kind is Kind.TASK)
    messages = tuple(history.messages[start:stop])
    request = SummaryRequest(task, tight.digest, messages, tight.folded + 1, last_turn, limit=max(limit // 4, FLOOR))
    return replace(tight, folded=last_turn, digest=Extractive()(request).text)


def _clip(tight: Tight, context: Context, excess: int) -> Tight:
    """Cut the last turn's outputs by ``excess`` tokens, the longest first."""
    history = context.history
    turn = history.turns
    outputs = [
        history[i].tokens
        for i in range(history.start_of(turn), history.end_of(turn))
        if history[i].kind is Kind.OBSERVATION
    ]
    longest = dict(tight.clips).get(turn, max(outputs, default=0))
    tokens = max(longest - max(excess, 1), longest // 2 if len(outputs) > 1 else 0, FLOOR)
    if tokens >= longest:
        return tight
    return replace(tight, clips=(*(clip for clip in tight.clips if clip[0] > tight.boundary and clip[0] != turn), (turn, tokens)))
