"""Context management for any agent loop that keeps its messages in a list, in the OpenAI shape.

manager = Manager("masking:window=10")
reply = client.chat.completions.create(model=model, messages=manager(messages), tools=tools)
"""

from collections.abc import Mapping, Sequence
from typing import Any

from context_strategies.catalogue import prices_of
from context_strategies.events import Record
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
        self._seen: list[ChatMessage] = []
        self._translator = Translator()

    def __call__(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """The messages to send in the place of ``messages``."""
        if not self._continues(messages):
            self.session.restart()
            self._seen, self._translator = [], Translator()
        new = messages[len(self._seen) :]
        self.session.feed(self._translator(message, len(self._seen) + i) for i, message in enumerate(new))
        self._seen.extend(new)
        return render(self.session.context(), self._seen)

    def _continues(self, messages: Sequence[ChatMessage]) -> bool:
        return list(messages[: len(self._seen)]) == self._seen
