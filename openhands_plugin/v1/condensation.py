"""What a conversation leaves in its events: summaries, and answers to condensation requests, each with a checkpoint."""

from dataclasses import replace

from openhands.sdk.context.condenser.base import NoCondensationAvailableException
from openhands.sdk.event import Condensation

from context_strategies.context import Summarize
from context_strategies.facts import tagged_facts
from context_strategies.history import PROTECTED, Kind
from context_strategies.strategies import Summarized
from openhands_plugin.v1.checkpoint import Checkpoint, weight_of, write
from openhands_plugin.v1.conversation import Conversation, Events

NO_MODEL = "context-strategies"
"""The response id of a condensation that no model was asked for."""


def condensation(one: Conversation, events: Events) -> Condensation | None:
    """What must be kept of what happened since the checkpoint; None where the events say it all."""
    before = one.checkpoint.state.answered if one.checkpoint else 0
    return _keep(one, events) if one.state.answered != before else None


def cure(one: Conversation, events: Events) -> Condensation:
    """The answer to a condensation request: show half at most, by a new summary if that is enough.

    Raises NoCondensationAvailableException where nothing could go, and that had been said before.
    """
    before = one.session.preview().tokens
    one.session.summarize_now()
    while one.session.preview().tokens > before // 2 and one.session.shrink():
        pass
    if one.session.preview().tokens < before:
        return _keep(one, events)
    length = len(events) - (one.checkpoint is not None)
    if one.checkpoint and one.checkpoint.stuck == length:
        raise NoCondensationAvailableException("the task and the newest turn alone are too long for the model")
    return _keep(one, events, stuck=length)


def _keep(one: Conversation, events: Events, stuck: int = 0) -> Condensation:
    history = one.session.history
    context = one.session.preview()
    head = history.start_of(1)
    edit = next((edit for edit in context.edits if isinstance(edit, Summarize)), None)
    gone, text = (range(head, edit.stop), edit.text) if edit else _kept_before(one, events, head)
    forgotten = [place for i in gone if history[i].kind not in PROTECTED for place in one.places[i]]
    offset = one.places[head - 1].stop if head else 0
    if one.checkpoint:
        offset = one.checkpoint_place
        forgotten.append(offset)
    response_id = one.response_ids[-1] if one.response_ids else NO_MODEL
    one.response_ids.clear()
    return Condensation(
        forgotten_event_ids={events[place].id for place in forgotten},
        summary=write(text, _state_after(one, events, gone, stuck)),
        summary_offset=offset,
        llm_response_id=response_id,
    )


def _kept_before(one: Conversation, events: Events, head: int) -> tuple[range, str]:
    """What the checkpoint stands for, where no summary is shown now."""
    if not one.stood_for:
        return range(head, head), ""
    return range(head, head + one.stood_for), one.text(events)


def _state_after(one: Conversation, events: Events, gone: range, stuck: int) -> Checkpoint:
    history = one.session.history
    behind = (i for i in range(gone.stop, len(history)) if history[i].kind is Kind.ACTION)
    following = next(behind, None)
    preserve: tuple[str, ...] = getattr(one.strategy, "preserve", ())
    folded = history.turn_of(gone.stop - 1) if gone else 0
    state, tight = one.state, one.session.tight
    if folded > state.summarized and tight.digest and isinstance(one.strategy, Summarized):
        state = replace(state, summarized=tight.folded, summary=tight.digest)  # what the next summary goes on from
    return Checkpoint(
        summarizes=isinstance(one.strategy, Summarized),
        turn=history.turns,
        folded=folded,
        gone=weight_of(history, gone.start, gone.stop),
        next="" if following is None else events[one.places[following].start].id,
        stuck=stuck,
        facts=tagged_facts(history.messages[gone.start : gone.stop], preserve),
        state=state,
        tight=tight,
    )
