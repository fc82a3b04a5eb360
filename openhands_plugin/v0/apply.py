"""From a context back to OpenHands events: what stays is handed on as it is, what changes is a copy."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from openhands.events.event import Event
from openhands.events.observation.agent import AgentCondensationObservation, AgentThinkObservation
from openhands.events.observation.observation import Observation

from context_strategies.context import Context, Summarize
from openhands_plugin.v0.condensation import turns_in


@dataclass
class HiddenObservation(AgentThinkObservation):
    """A placeholder in an observation's place.

    Not an ``AgentCondensationObservation``: OpenHands' own summarizers take those for summaries and pass them over.
    OpenHands shows the model nothing of a thought's observation but its content, which is what a placeholder needs.
    """


class Renderer:
    """Applies the contexts of one conversation. A placeholder is made once."""

    def __init__(self) -> None:
        self._hidden: dict[int, tuple[Event, HiddenObservation]] = {}

    def __call__(self, context: Context, events: Iterable[Event], places: Mapping[int, int]) -> list[Event]:
        """A new list of ``events`` (a view's) as ``context`` shows them, with the summary where it belongs.

        An event that is part of no message stays: another condenser has put it there, or the model is not shown it.
        """
        texts = {part.place: part.text for part in context if part.place is not None}
        summaries = [edit for edit in context.edits if isinstance(edit, Summarize)]
        waiting = list(summaries)
        shown: list[Event] = []
        for event in events:
            place = places.get(event.id)
            if place is None:
                shown += [] if summaries and _is_summary(event) else [event]
                continue
            while waiting and place >= waiting[0].start:
                shown.append(AgentCondensationObservation(content=waiting.pop(0).text))
            if place in texts:
                shown.append(self._shown(event, texts[place]))
        return [*shown, *(AgentCondensationObservation(content=summary.text) for summary in waiting)]

    def _shown(self, event: Event, text: str | None) -> Event:
        if text is None or not isinstance(event, Observation):
            return event
        source, made = self._hidden.get(event.id, (None, None))
        if made is None or source is not event or made.content != text:
            made = hidden(event, text)
            self._hidden[event.id] = (event, made)
        return made


def _is_summary(event: Event) -> bool:
    """Whether OpenHands put ``event`` into the view for a summary of ours, which the context has its own place for."""
    return isinstance(event, AgentCondensationObservation) and turns_in(event.content) > 0


def hidden(observation: Observation, text: str) -> HiddenObservation:
    """``text`` in the place of ``observation``, answering the same tool call."""
    placeholder = HiddenObservation(content=text)
    own = {name: value for name, value in vars(observation).items() if name.startswith("_")}
    placeholder.__dict__.update(own)  # id, cause, source, timestamp, and the call it answers
    return placeholder
