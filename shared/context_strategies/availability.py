"""Whether a context still shows the facts that the next recorded action uses.

At each call, the facts of the action it gave that stood in an earlier observation are *needed*. Those that no earlier
action holds are needed for the *first* time: nothing but the observation can have told the agent. A needed fact is
*visible* if some message of the request holds it: kept, as a placeholder, or in a summary.
"""

from collections import defaultdict
from dataclasses import dataclass

from context_strategies.context import Context, Keep, Mask, Summarize, masks_of
from context_strategies.facts import facts_of
from context_strategies.history import History, Kind
from context_strategies.trajectories import Call, Trajectory


@dataclass(frozen=True, slots=True)
class Need:
    """A fact an action uses, the messages before it that hold it (indices), and whether no earlier action does."""

    fact: str
    holders: tuple[int, ...]
    first: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """Facts needed by one call, how many of them its context shows, and the same for those needed first; ``refetch`` is
    the latest observation that holds one of the hidden ones, None if none is hidden.
    """

    needed: int = 0
    visible: int = 0
    first: int = 0
    first_visible: int = 0
    refetch: int | None = None


def needs_of(run: Trajectory) -> tuple[tuple[Need, ...], ...]:
    """What each call of ``run`` needed, by the action it gave; one pass over the history."""
    history = run.history
    facts = [facts_of(message.text) for message in history.messages]
    by_action = {call.upto: call for call in run.calls}
    holders: dict[str, list[int]] = defaultdict(list)
    observed: set[str] = set()
    acted: set[str] = set()
    needs: dict[int, tuple[Need, ...]] = {}
    for index, message in enumerate(history.messages):
        if message.kind is Kind.ACTION and index in by_action:
            used = [fact for fact in facts[index] if fact in observed]
            needs[index] = tuple(Need(fact, tuple(holders[fact]), fact not in acted) for fact in used)
        if message.kind is Kind.ACTION:
            acted.update(facts[index])
        elif message.kind is Kind.OBSERVATION:
            observed.update(facts[index])
        for fact in facts[index]:
            holders[fact].append(index)
    return tuple(needs.get(_action(call), ()) for call in run.calls)


def _action(call: Call) -> int:
    return call.upto


def seen(context: Context, needs: tuple[Need, ...]) -> Seen:
    """How many of ``needs`` are visible in ``context``."""
    shown = [_visible(context, need) for need in needs]
    firsts = [visible for visible, need in zip(shown, needs, strict=True) if need.first]
    hidden = [need.holders for visible, need in zip(shown, needs, strict=True) if not visible]
    held = (index for holders in hidden for index in holders if _observation(context.history, index))
    refetch = max(held, default=None)
    return Seen(len(needs), sum(shown), len(firsts), sum(firsts), refetch)


def _observation(history: History, index: int) -> bool:
    return history[index].kind is Kind.OBSERVATION


def _visible(context: Context, need: Need) -> bool:
    """Whether a holder is shown, or a placeholder or summary that still has the fact; the newest holders first."""
    return any(_shows(context, index, need.fact) for index in reversed(need.holders)) or any(
        isinstance(edit, Summarize) and need.fact in edit.text for edit in context.edits
    )


def _shows(context: Context, index: int, fact: str) -> bool:
    """Whether the request shows message ``index`` in a form that has ``fact``."""
    edit = next(edit for edit in context.edits if edit.start <= index < edit.stop)
    if isinstance(edit, Keep):
        return True
    if isinstance(edit, Mask):
        text = masks_of(context.history, edit.hide).text(index)
        return text is None or fact in text
    return bool(context.history.protected_in(index, index + 1))
