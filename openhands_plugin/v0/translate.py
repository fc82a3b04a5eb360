"""OpenHands V0 events to neutral messages, the same way as recorded runs are read. Imports no OpenHands."""

from collections.abc import Mapping
from typing import Any

from context_strategies.fields import section, text
from context_strategies.history import Message
from context_strategies.trajectories.openhands_v0 import MAX_CHARS
from context_strategies.trajectories.openhands_v0_events import Reader

Event = Mapping[str, Any]
"""An event as OpenHands writes it to disk: an ``action`` with ``args``, or an ``observation`` with ``content``."""


class Translator:
    """Takes one conversation's events in order; ``limit`` is the length in characters that OpenHands cuts outputs to.

    Parallel calls come as several actions with one model response. They are one message, so that a turn is a turn in
    every scaffold. ``places`` says by event id which message an event is part of; events that the model is not shown
    have none.
    """

    def __init__(self, limit: int = MAX_CHARS) -> None:
        self._reader = Reader(limit)
        self._replies: dict[str, int] = {}
        self.places: dict[int, int] = {}

    def __call__(self, event: Event) -> list[Message]:
        """The messages that ``event`` adds: one, or none. ``ValueError`` for what is no event."""
        messages = self._reader.messages
        before = len(messages)
        self._reader.add(event)
        reply = text(section(event, "tool_call_metadata", "model_response").get("id")) if "action" in event else ""
        place = before if len(messages) > before else self._replies.get(reply)
        if place is not None and isinstance(event.get("id"), int):
            self.places[event["id"]] = place
        if reply and len(messages) > before:
            self._replies[reply] = before
        return messages[before:]
