"""Summaries as OpenHands events: what a condensation says, and what is read back from it when a run is resumed."""

import re
from collections.abc import Iterable, Mapping

from openhands.events.action.agent import CondensationAction
from openhands.events.event import Event

from context_strategies.context import Context, Summarize
from context_strategies.history import PROTECTED
from context_strategies.strategies.folding import TITLE, summary_message

HEAD = re.compile(re.escape(TITLE.format(last="@", text="")).replace("@", r"(\d{1,9})"))


def turns_in(summary: str) -> int:
    """The last turn that a summary of ours stands for; 0 where it is not ours."""
    found = HEAD.match(summary)
    return int(found[1]) if found else 0


def summaries_in(events: Iterable[Event]) -> dict[int, str]:
    """The texts of our summaries that ``events`` tell of, by the last turn each stands for."""
    told = [event.summary or "" for event in events if isinstance(event, CondensationAction)]
    return {last: text.removeprefix(summary_message("", last)) for text in told if (last := turns_in(text))}


def condensation(
    context: Context, known: Mapping[int, str], events: Iterable[Event], places: Mapping[int, int]
) -> CondensationAction | None:
    """The event that tells of the summary in ``context``; None where there is none, or where it is ``known``.

    ``events`` are those OpenHands would show now. The event names those that the summary stands for, so that OpenHands
    alone, without this plugin, goes on with the summary in their place.
    """
    summary = next((edit for edit in context.edits if isinstance(edit, Summarize)), None)
    last_turn = turns_in(summary.text) if summary else 0
    if summary is None or known.get(last_turn) == summary.text.removeprefix(summary_message("", last_turn)):
        return None
    offset, forgotten = 0, []
    for event in events:
        place = places.get(event.id, -1)
        if summary.start <= place < summary.stop and context.history[place].kind not in PROTECTED:
            forgotten.append(event.id)
        elif not forgotten and place < summary.start and event.id != Event.INVALID_ID:
            offset += 1
    return CondensationAction(forgotten_event_ids=forgotten, summary=summary.text, summary_offset=offset)
