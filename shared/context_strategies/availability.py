"""What a context still tells: facts that the next recorded action uses, and facts of the outputs altogether.

At each call, the facts of the action it gave that stood in an earlier observation are *needed*. Those that no earlier
action holds are needed for the *first* time: nothing but the observation can have told the agent. A needed fact is
*visible* if some message of the request holds it: kept, in a placeholder, or in a summary.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from context_strategies.context import Context, Keep, Mask, Summarize
from context_strategies.facts import facts_of, ranked_facts
from context_strategies.history import Kind
from context_strategies.masks import masks_of
from context_strategies.trajectories import Trajectory


@dataclass(frozen=True, slots=True)
class Need:
    """A fact an action uses, the messages before it that hold it (indices), and whether no earlier action does."""

    fact: str
    holders: tuple[int, ...]
    first: bool


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The facts of a run: those of each message of its history, and what each of its calls needed."""

    facts: Sequence[frozenset[str]]
    needs: Sequence[Sequence[Need]]


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


def knowledge_of(run: Trajectory) -> Knowledge:
    """The facts of ``run``, in one pass over its history."""
    history = run.history
    facts = [frozenset(message.find(ranked_facts)) for message in history.messages]
    calls = {call.upto for call in run.calls}
    holders: dict[str, list[int]] = defaultdict(list)
    observed: set[str] = set()
    acted: set[str] = set()
    needs: dict[int, list[Need]] = {}
    for index, message in enumerate(history.messages):
        if message.kind is Kind.ACTION:
            if index in calls:
                used = sorted(facts[index] & observed)
                needs[index] = [Need(fact, tuple(holders[fact]), fact not in acted) for fact in used]
            acted |= facts[index]
        elif message.kind is Kind.OBSERVATION:
            observed |= facts[index]
        for fact in facts[index]:
            holders[fact].append(index)
    return Knowledge(facts, [needs.get(call.upto, []) for call in run.calls])


def seen(context: Context, needs: Sequence[Need]) -> Seen:
    """How many of ``needs`` are visible in ``context``."""
    hidden = [need for need in needs if not _visible(context, need)]
    messages = context.history.messages
    held = (index for need in hidden for index in need.holders if messages[index].kind is Kind.OBSERVATION)
    first = sum(need.first for need in needs)
    return Seen(
        needed=len(needs),
        visible=len(needs) - len(hidden),
        first=first,
        first_visible=first - sum(need.first for need in hidden),
        refetch=max(held, default=None),
    )


def retained(context: Context, knowledge: Knowledge) -> float:
    """The share of facts of all outputs that ``context`` still holds; 1 where there are none."""
    outputs = (m.kind is Kind.OBSERVATION for m in context.history.messages)
    observed = frozenset[str]().union(
        *(facts for facts, output in zip(knowledge.facts, outputs, strict=False) if output)
    )
    held = frozenset[str]().union(
        *(
            knowledge.facts[part.place] if part.text is None and part.place is not None else facts_of(part.text or "")
            for part in context
        )
    )
    return len(observed & held) / len(observed) if observed else 1.0


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
