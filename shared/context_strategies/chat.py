"""Context management for any agent loop that keeps its messages in a list, in the OpenAI shape.

manager = Manager("masking:window=10")
reply = client.chat.completions.create(model=model, messages=manager(messages), tools=tools)
"""

from collections.abc import Mapping, Sequence
from typing import Any

from context_strategies.catalogue import prices_of
from context_strategies.events import LOG, Record
from context_strategies.follower import Follower
from context_strategies.messages import ChatMessage, Translator, render
from context_strategies.session import Session
from context_strategies.strategies import Strategy, Summarized, choose
from context_strategies.summarizers import Summarizer, resolve
from context_strategies.terms import terms_for


class Manager:
    """Call it with the whole list before each request; send what it returns. The list and its messages are not
    changed. A list that does not continue the one before starts a new conversation.
    """

    def __init__(
        self,
        strategy: str | Mapping[str, Any] | Strategy = "masking",
        *,
        model: str = "",
        cached: bool = True,
        summarizer: Summarizer | None = None,
        record: Record | None = None,
    ) -> None:
        """``strategy`` as :func:`context_strategies.choose` takes it; ``model`` for its prices and limit (an unknown
        one gets the assumed ratios); ``cached``: whether the provider caches prompts. Raises ConfigError.
        """
        chosen = choose(strategy) if isinstance(strategy, str | Mapping) else strategy
        terms = terms_for(chosen, prices_of(model), cached=cached)
        if summarizer is None and isinstance(chosen, Summarized):
            summarizer = resolve(chosen.summarizer)
        self.session = Session(chosen, terms, summarizer, record)
        self._follow = Follower[ChatMessage](self.session, Translator)
        self._failed = False

    def __call__(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """The messages to send in the place of ``messages``: all of them, from the first error on. Never raises."""
        if self._failed:
            return list(messages)
        try:
            return render(self._follow(messages), messages)
        except Exception as error:  # noqa: BLE001 - never fatal: the agent goes on without it
            self._failed = True
            LOG.warning("%s; instead: nothing is hidden from here on", type(error).__name__, exc_info=True)
            return list(messages)
