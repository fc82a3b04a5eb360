"""One conversation under one strategy, as a fold over the events of its view.

What the model is shown depends on the view alone. Masks are a fold over its events and leave no trace. What can't be
had from the events again (a summary, an answer to a condensation request) becomes a ``Condensation``: it forgets the
summarized events and the summary event before it, and its own summary event carries a :mod:`checkpoint
<openhands_plugin.v1.checkpoint>`, from which the fold over the next view starts. So a view that was reloaded, or is
seen by another process, gives the same bytes; and a break-even account goes on where it stood.

It keeps no event alive: it knows places in the view, which ``follow`` makes sure still holds the same events.
"""

import weakref
from collections.abc import Sequence
from threading import Lock

from openhands.sdk.event import ActionEvent, CondensationSummaryEvent, LLMConvertibleEvent, MessageEvent
from openhands.sdk.llm import LLM

from context_strategies.events import Record
from context_strategies.session import Session
from context_strategies.strategies import State, Strategy, Summarized
from context_strategies.terms import Terms
from openhands_plugin.v1.checkpoint import Checkpoint, read, resumed, stand_ins
from openhands_plugin.v1.display import Display
from openhands_plugin.v1.summarizer import summarizer_for
from openhands_plugin.v1.translate import Group, Translation, groups

Events = Sequence[LLMConvertibleEvent]


class Conversation:
    """Follows one view. ``lock`` is to be held around every call.

    ``checkpoint`` is what the conversation began from, if anything, at ``checkpoint_place`` of the view; ``stood_for``
    is how many messages of the history stand for the turns it had forgotten. ``places`` says which events each message
    is made of; ``response_ids`` are those of summaries that no event tells of yet.
    """

    def __init__(self, strategy: Strategy, terms: Terms, llm: LLM | None, record: Record | None) -> None:
        self.lock = Lock()
        self.strategy = strategy
        self.terms = terms
        self.llm = llm
        self.response_ids: list[str] = []
        self._summarizer = summarizer_for(strategy, llm, self.response_ids.append)
        self._record = record
        self._begin()

    def _begin(self) -> None:
        self.session = Session(self.strategy, self.terms, self._summarizer, self._record)
        self._translate = Translation()
        self._seen: list[weakref.ref[LLMConvertibleEvent]] = []
        self.places: list[range] = []
        self.checkpoint: Checkpoint | None = None
        self.checkpoint_place = self.stood_for = 0
        self._display = Display(self)

    def follow(self, events: Events) -> None:
        """Take what is new in ``events``, all of them where they don't go on from those seen before.

        A summary is asked for after the newest turn only: those that earlier turns asked for are in the events.
        """
        if not self._continues(events):
            self._begin()
        first = not self._seen
        if first:
            self._resume(events)
        place = len(self._seen)
        new = groups(events[place:])
        newest = max((i for i, group in enumerate(new) if isinstance(group[0], ActionEvent)), default=0)
        answer = max((i for i, group in enumerate(new) if _by_the_model(group[0])), default=0)
        place = self._feed(new[:newest], place, past=True)
        place = self._feed(new[newest:answer], place)
        if first and answer:  # the cache mark of this request may stand at the end of the one answered last
            self.session.context(past=True)
        self._feed(new[answer:], place)
        self._seen.extend(map(weakref.ref, events[len(self._seen) :]))

    @property
    def state(self) -> State:
        """The strategy's state, if it is the core's: one of another kind starts anew where turns were forgotten."""
        state = self.session.state
        return state if isinstance(state, State) else State()

    def _continues(self, events: Events) -> bool:
        known = len(self._seen)
        same = len(events) >= known and all(seen() is event for seen, event in zip(self._seen, events, strict=False))
        return same and not any(isinstance(event, CondensationSummaryEvent) for event in events[known:])

    def _resume(self, events: Events) -> None:
        """Find the checkpoint, and feed what stands before it and the turns that it stands for."""
        for place, event in enumerate(events):
            checkpoint = self._valid(event, events[place + 1 :])
            if checkpoint:
                own = self.session.state
                state = checkpoint.state if isinstance(own, State) else own
                self.session.resume(state, checkpoint.turn, resumed(checkpoint))
                self._feed(groups(events[:place]), 0, past=True)
                messages = stand_ins(checkpoint)
                self.places.extend([range(0)] * (len(messages) - 1))
                self.places.extend([range(place, place + 1)] * bool(messages))
                self.stood_for = len(messages)
                self.session.feed(messages, past=True)
                self._seen.extend(map(weakref.ref, events[: place + 1]))
                self.checkpoint, self.checkpoint_place = checkpoint, place
                return

    def _valid(self, event: LLMConvertibleEvent, behind: Events) -> Checkpoint | None:
        checkpoint = read(event.summary)[1] if isinstance(event, CondensationSummaryEvent) else None
        if checkpoint is None or checkpoint.summarizes != isinstance(self.strategy, Summarized):
            return None
        following = next((event.id for event in behind if isinstance(event, ActionEvent)), "")
        return checkpoint if checkpoint.next in {"", following} else None

    def _feed(self, new: Sequence[Group], start: int, *, past: bool = False) -> int:
        """Feed the groups that start at place ``start`` of the view; gives the place behind them."""
        for group in new:
            self.places.append(range(start, start + len(group)))
            start += len(group)
        self.session.feed([self._translate(group) for group in new], past=past)
        return start

    def shown(self, events: Events, *, marks: bool) -> list[LLMConvertibleEvent]:
        """The events to show the model in the place of ``events``; with ``marks``, cache marks at the settled ends."""
        return self._display(events, self.session.context(), marks=marks)

    def text(self, events: Events) -> str:
        """What the summary event says that the checkpoint came with."""
        event = events[self.checkpoint_place]
        return read(event.summary)[0] if isinstance(event, CondensationSummaryEvent) else ""


def _by_the_model(event: LLMConvertibleEvent) -> bool:
    """Whether ``event`` is what the model answered to a request."""
    return isinstance(event, ActionEvent) or (isinstance(event, MessageEvent) and event.source == "agent")
