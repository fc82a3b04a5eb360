"""Summaries by a model, whoever's client makes the call."""

from collections.abc import Callable
from dataclasses import dataclass

from context_strategies.cut import cut_end
from context_strategies.prices import Usage
from context_strategies.summarizers.base import SummarizerError, Summary, SummaryRequest
from context_strategies.summarizers.keep import keep_facts_verbatim
from context_strategies.summarizers.prompt import render
from context_strategies.terms import AUTO_SHARE
from context_strategies.tokens import estimate

MAX_INPUT_TOKENS = 100_000
"""Estimated tokens of a summary request, where neither a setting nor the model's own limit is lower."""


def cap_of(limit: int) -> int:
    """Estimated tokens that a prompt may have for a model that takes ``limit`` tokens (0: unknown)."""
    return min(int(limit * AUTO_SHARE) or MAX_INPUT_TOKENS, MAX_INPUT_TOKENS)


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer: its text, what the call used and cost (US dollars) where known, and why it ended."""

    text: str
    usage: Usage | None = None
    cost: float | None = None
    reason: str = ""


Ask = Callable[[str, str], Answer]
"""Makes one call, given the system and the user message."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A summarizer that asks the model ``name`` through ``ask``, with a prompt of ``max_input_tokens`` (estimated) at
    most; ``too_long`` is what ``ask`` raises for one that the model refuses.
    """

    name: str
    ask: Ask
    too_long: type[Exception]
    max_input_tokens: int = MAX_INPUT_TOKENS

    def __call__(self, request: SummaryRequest) -> Summary:
        """The model's summary, cut to the request's limit with the facts behind it.

        A prompt that is too long for the model is tried again at half the cap, once. Raises SummarizerError where the
        answer is empty or the prompt has no room, and what ``ask`` raises.
        """
        try:
            answer = self.ask(*render(request, self.max_input_tokens))
        except self.too_long:
            answer = self.ask(*render(request, self.max_input_tokens // 2))
        text = without_thinking(answer.text)
        if not text:
            why = f" (finish reason: {answer.reason})" if answer.reason else ""
            raise SummarizerError(f"{self.name}: an empty answer{why}")
        if 0 < request.limit <= estimate(keep_facts_verbatim(text, request.facts)):
            # At the worst, all of them are in the part that goes.
            text = cut_end(text, request.limit - 2 - estimate(keep_facts_verbatim("", request.facts)))
        return Summary(text, self.name, answer.usage, answer.cost)


def without_thinking(text: str) -> str:
    """The answer alone, where a local model's server leaves the thinking in front of it."""
    text = text.strip()
    if text.startswith("<think>"):
        text = text.partition("</think>")[2]
    return text.strip()
