"""One agent's conversation as its model sees it: the whole list of messages, again and again. Imports no host."""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

from context_strategies.condensing import line_of
from context_strategies.events import LOG, Condensed, Event, Fallback, Step
from context_strategies.follower import Follower, Translate
from context_strategies.history import Message
from context_strategies.messages import ChatMessage, render
from context_strategies.session import Session
from context_strategies.strategies import Strategy
from context_strategies.summarizers.remembered import Remembered
from context_strategies.terms import Terms
from mini_swe_agent_plugin.ledger import Ledger
from mini_swe_agent_plugin.marks import Request
from mini_swe_agent_plugin.translate import Item, ItemTranslator, replaced

MOST = 64
"""Conversations kept of one model: one that comes back after so many others starts anew."""


class Conversation:
    """A session and the messages it has been fed: each new one once. ``source`` is the agent's own list of them."""

    def __init__(self, strategy: Strategy, terms: Terms, ledger: Ledger) -> None:
        self.events: list[Event] = []
        self.ledger = ledger
        self.source: Sequence[ChatMessage] = ()
        self._session = Session(strategy, terms, Remembered(ledger, ledger.known), self.events.append)
        self._follow = Follower[ChatMessage](self._session, self._begin)
        self._failed = False

    def _begin(self) -> Translate[ChatMessage]:
        self.ledger.known.clear()
        translate = ItemTranslator()

        def recalling(item: ChatMessage, key: int) -> Message:
            self.ledger.recall(item)
            return translate(item, key)

        return recalling

    def request(self, items: Sequence[ChatMessage]) -> Sequence[ChatMessage]:
        """The messages to send in the place of ``items``: all of them, from the first error on. Never raises."""
        if self._failed:
            return items
        try:
            context = self._follow(items)
            return Request(render(context, items, replaced), context.marked_parts)
        except Exception as error:  # noqa: BLE001 - never fatal: the agent would end without a submission
            self._failed = True
            instead = "nothing is hidden from here on"
            LOG.warning("%s; instead: %s", type(error).__name__, instead, exc_info=True)
            self.events.append(Fallback(self._session.history.turns, line_of(error), instead))
            return items

    def continues(self, items: Sequence[ChatMessage]) -> bool:
        """Whether ``items`` are those seen so far and perhaps more."""
        return self._follow.goes_on(items)

    @property
    def begun(self) -> bool:
        """Whether a turn has passed: replies carry the time they came at, which tells conversations apart."""
        return self._session.history.turns > 0

    def shrink(self) -> bool:
        """Show half of what the model has refused as too long; whether anything could go. Never raises."""
        return not self._failed and self._session.shrink()

    def totals(self) -> dict[str, Any]:
        """What was done so far; sizes are estimated tokens, of all requests together."""
        steps = [event for event in self.events if isinstance(event, Step)]
        summaries = [event for event in self.events if isinstance(event, Condensed)]
        return {
            "requests": len(steps),
            "tokens_before": sum(step.before for step in steps),
            "tokens_after": sum(step.after for step in steps),
            "summaries": len(summaries),
            "summary_cost": sum(summary.cost or 0.0 for summary in summaries),
            "fallbacks": len(self.events) - len(steps) - len(summaries),
        }


class Conversations:
    """Those of one model, which several agents, in several threads, may share; ``make`` starts one."""

    def __init__(self, make: Callable[[], Conversation]) -> None:
        self._make = make
        self._lock = Lock()
        self._listed: list[Conversation] = []

    def of(self, items: list[Item]) -> Conversation:
        """The one whose messages ``items`` are: an agent keeps them in one list, or hands on a copy of it."""
        with self._lock:
            found = self.known(items)
            if found is None:
                goes_on = (one for one in reversed(self._listed) if one.begun and one.continues(items))
                found = next(goes_on, None) or self._make()
            found.source = items
            self._listed = [*(one for one in self._listed if one is not found), found][-MOST:]
        return found

    def known(self, items: object) -> Conversation | None:
        """The one whose agent keeps its messages in the list ``items``."""
        return next((one for one in self._listed if one.source is items), None)
