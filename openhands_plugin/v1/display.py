"""What a conversation shows: the events of a view as a context has them, each stand-in made once."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from openhands.sdk.event import CondensationSummaryEvent, LLMConvertibleEvent

from context_strategies.context import Context
from context_strategies.strategies import Summarized
from openhands_plugin.v1.checkpoint import read
from openhands_plugin.v1.show import can_mark, marked, masked

if TYPE_CHECKING:
    from openhands_plugin.v1.conversation import Conversation, Events


class Display:
    """Shows the contexts of one conversation."""

    def __init__(self, conversation: "Conversation") -> None:
        self._conversation = conversation
        self._shown: dict[tuple[str, str | None, bool], LLMConvertibleEvent] = {}

    def __call__(self, events: "Events", context: Context, *, marks: bool) -> list[LLMConvertibleEvent]:
        """The events to show in the place of ``events``; with ``marks``, cache marks at the settled ends."""
        parts = list(context)
        found: list[tuple[LLMConvertibleEvent, str | None]] = []
        ends: list[int] = []
        for place, text in parts:
            found.extend(self._part(events, place, text))
            ends.append(len(found))
        places = {self._markable(found, ends[part]) for part in context.marked_parts} if marks else set()
        return [self._instead(event, text, mark=i in places) for i, (event, text) in enumerate(found)]

    def _part(
        self, events: "Events", place: int | None, text: str | None
    ) -> list[tuple[LLMConvertibleEvent, str | None]]:
        """The events of one part, each with the text that is shown instead of its own."""
        if place is None:
            return [(self._summary(events, text or ""), None)]
        return [(self._without_checkpoint(events[i]), text) for i in self._conversation.places[place]]

    def _without_checkpoint(self, event: LLMConvertibleEvent) -> LLMConvertibleEvent:
        """A summary event of ours as its text alone, without the checkpoint; any other event as it is."""
        if not isinstance(event, CondensationSummaryEvent):
            return event
        text, checkpoint = read(event.summary)
        ours = checkpoint is not None and checkpoint.summarizes == isinstance(self._conversation.strategy, Summarized)
        return event.model_copy(update={"summary": text}) if ours else event

    def _summary(self, events: "Events", text: str) -> LLMConvertibleEvent:
        key = ("", text, False)
        if key not in self._shown:
            place = self._conversation.checkpoint_place
            event = events[place] if self._conversation.checkpoint else CondensationSummaryEvent(summary="")
            self._shown[key] = event.model_copy(update={"summary": text})
        return self._shown[key]

    def _instead(self, event: LLMConvertibleEvent, text: str | None, *, mark: bool) -> LLMConvertibleEvent:
        if text is None and not mark:
            return event
        key = (event.id, text, mark)
        if key not in self._shown:
            shown = event if text is None else masked(event, text)
            self._shown[key] = marked(shown) if mark else shown
        return self._shown[key]

    @staticmethod
    def _markable(found: Sequence[tuple[LLMConvertibleEvent, str | None]], end: int) -> int:
        """The last place before ``end`` that can carry a mark, -1 if there is none."""
        return next((i for i in range(end - 1, -1, -1) if can_mark(found[i][0])), -1)
