"""One agent's conversation, followed through OpenHands' events.

What the session has done is never stored: it follows from the events, which hold its summaries, too. So a run that is
stopped and resumed shows the model the same bytes.
"""

import operator
from collections.abc import Mapping, Sequence

from openhands.events.action.agent import CondensationRequestAction
from openhands.events.event import Event
from openhands.events.serialization.event import event_to_dict

from context_strategies.events import LOG, Record
from context_strategies.fields import MALFORMED
from context_strategies.session import Session
from context_strategies.strategies import Strategy
from context_strategies.summarizers import Extractive, Summarizer
from context_strategies.summarizers.remembered import Remembered
from context_strategies.terms import Terms
from openhands_plugin.v0.condensation import summaries_in
from openhands_plugin.v0.translate import Translator


class Conversation:
    """Drives one session; ``limit`` is the length in characters that OpenHands cuts outputs to."""

    def __init__(
        self, strategy: Strategy, terms: Terms, summarizer: Summarizer | None, record: Record, limit: int
    ) -> None:
        self._known: dict[int, str] = {}
        self._limit = limit
        self.session = Session(strategy, terms, Remembered(summarizer or Extractive(), self._known), record)
        self._start()

    _seen: int
    _ends: tuple[Event, ...]
    stuck: bool
    """Whether the newest event is OpenHands' request to condense and there was nothing left to hide."""

    @property
    def known(self) -> Mapping[int, str]:
        """The summaries that the conversation's events hold, by the last turn each stands for."""
        return self._known

    @property
    def places(self) -> Mapping[int, int]:
        """By event id, which message of the history an event is part of."""
        return self._translator.places

    def follow(self, events: Sequence[Event]) -> None:
        """Take the events that are new since the last time; a list that is no continuation is a conversation anew.

        A request to condense makes the session show half of what it did, at the place where it stands: a resumed run
        comes to the same.
        """
        if not self._continues(events):
            self.session.restart()
            self._start()
        new = events[self._seen :]
        self._known.update(summaries_in(new))
        for event in new:
            if isinstance(event, CondensationRequestAction):
                self.stuck = not self.session.shrink() and event.tool_call_metadata is None
            else:
                self._take(event)
        self._seen, self._ends = len(events), (*events[:1], *events[-1:])

    def _start(self) -> None:
        self._translator = Translator(self._limit)
        self._known.clear()
        self._seen = 0
        self._ends = ()
        self.stuck = False

    def _continues(self, events: Sequence[Event]) -> bool:
        """Whether ``events`` begin with those seen so far, as the first and the last of them tell."""
        ends = (*events[:1], *events[self._seen - 1 : self._seen]) if self._seen else ()
        return len(ends) == len(self._ends) and all(map(operator.is_, ends, self._ends))

    def _take(self, event: Event) -> None:
        self.stuck = False
        try:
            self.session.feed(self._translator(event_to_dict(event)))
        except MALFORMED as error:
            LOG.warning("event %s is shown as it is: %s", event.id, error)
