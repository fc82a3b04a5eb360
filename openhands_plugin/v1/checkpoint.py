"""What had been come to when a conversation's events were last changed, kept in the summary event that was left there.

The summary of a ``Condensation`` ends in one line of JSON, which the model is not shown. A fold over the view starts
from it, and so goes on as if the forgotten events were still there: the same live, after a reload, in another process.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pydantic import TypeAdapter

from context_strategies.history import History, Kind, Message
from context_strategies.strategies import State
from context_strategies.strategies.folding import summary_message
from context_strategies.tighten import Tight

START, END = "\n<!-- context-strategies ", " -->"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What had been come to after ``turn``.

    Turns up to ``folded`` are no longer among the events: they weighed ``gone`` estimated tokens, and ``facts`` were
    tagged in them. ``next`` is the id of the first action that is still there; where another one is first, the
    checkpoint is out of date. ``summarizes``: whether the strategy makes summaries. ``stuck`` is how many events there
    were but for this one, at a condensation request that nothing could be done about, 0 if none.
    """

    summarizes: bool
    turn: int
    folded: int
    gone: int
    next: str
    stuck: int = 0
    facts: tuple[str, ...] = ()
    state: State = field(default_factory=State)
    tight: Tight = field(default_factory=Tight)


_JSON = TypeAdapter(Checkpoint)


def write(text: str, checkpoint: Checkpoint) -> str:
    """``text``, which stands for the forgotten turns, with ``checkpoint`` behind it; what is in both is kept once."""
    state = checkpoint.state
    if text and text == summary_message(state.summary, state.summarized):
        checkpoint = replace(checkpoint, state=replace(state, summary=""))
    data = _JSON.dump_json(checkpoint, exclude_defaults=True).decode()
    return f"{text}{START}{data}{END}"


def read(summary: str) -> tuple[str, Checkpoint | None]:
    """A summary event's text for the model, and its checkpoint if it has one."""
    text, found, data = summary.rpartition(START)
    if not found or not data.endswith(END):
        return summary, None
    try:
        checkpoint = _JSON.validate_json(data.removesuffix(END))
    except ValueError:
        return summary, None
    state = checkpoint.state
    if state.summarized and not state.summary:
        _title, _, state_text = text.partition("\n")
        checkpoint = replace(checkpoint, state=replace(state, summary=state_text))
    return text, checkpoint


def stand_ins(checkpoint: Checkpoint) -> Sequence[Message]:
    """Messages that weigh, and are counted as, the turns that are gone; the last stands for the summary event."""
    if not checkpoint.folded:
        return []
    facts = [Message(Kind.NOTE, f"<keep>{fact}</keep>") for fact in checkpoint.facts]
    weight = max(checkpoint.gone - sum(fact.tokens for fact in facts), 0)
    return [*[Message(Kind.ACTION, "")] * checkpoint.folded, *facts, Message(Kind.NOTE, "", gone=weight)]


def weight_of(history: History, start: int, stop: int) -> int:
    """Estimated tokens of the messages in ``[start, stop)`` but the task."""
    return history.tokens(start, stop) - sum(history[i].tokens for i in history.protected_in(start, stop))


def resumed(checkpoint: Checkpoint) -> Tight:
    """How tight a resumed session is: a digest it makes goes on from the summary, whose turns it no longer has."""
    state, tight = checkpoint.state, checkpoint.tight
    if state.summarized > tight.folded:
        return replace(tight, folded=state.summarized, digest=state.summary)
    return tight
