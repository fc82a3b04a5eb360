"""Summaries by an LLM of the SDK: its keys, retries and metrics, so that stats and budgets count them."""

from dataclasses import dataclass, field

from openhands.sdk.llm import LLM, LLMResponse, Message, TextContent
from openhands.sdk.llm.exceptions import LLMContextWindowExceedError

from context_strategies.prices import Usage
from context_strategies.strategies import Strategy, Summarized
from context_strategies.summarizers import Extractive, Summarizer, SummarizerError, Summary, SummaryRequest, resolve
from context_strategies.summarizers.cut import cut_end
from context_strategies.summarizers.litellm import without_thinking
from context_strategies.summarizers.prompt import render
from context_strategies.terms import AUTO_SHARE
from context_strategies.usage import usage_of
from openhands_plugin.v1.host import limit_of

MAX_INPUT_TOKENS = 100_000
"""Estimated tokens of a summary request, where the model's input limit is not lower."""


def writer(strategy: Strategy, own: LLM | None, agent_llm: LLM | None) -> LLM | None:
    """The model that writes ``strategy``'s summaries: the condenser's ``own``, or the agent's; None if none does.

    One of the agent's usage id counts into the agent's metrics, or nobody would count it.
    """
    if not isinstance(strategy, Summarized) or strategy.summarizer != "host":
        return None
    if own and agent_llm and own.usage_id == agent_llm.usage_id and own.metrics is not agent_llm.metrics:
        own.restore_metrics(agent_llm.metrics)
    return own or agent_llm


def summarizer_for(strategy: Strategy, llm: LLM | None) -> Summarizer:
    """Who writes the summaries: ``llm`` if there is one, else what the strategy names."""
    if llm:
        return ModelSummary(llm)
    return resolve(strategy.summarizer) if isinstance(strategy, Summarized) else Extractive()


@dataclass(slots=True)
class ModelSummary:
    """Asks ``llm``, with the turns in full, capped in tokens. ``response_id`` is that of the last answer."""

    llm: LLM
    response_id: str = field(default="", init=False)

    @property
    def name(self) -> str:
        """How tables and events call it."""
        return str(self.llm.model)

    def __call__(self, request: SummaryRequest) -> Summary:
        """The model's summary, cut to the request's limit; raises :class:`SummarizerError`.

        A prompt that is too long for the model is tried again at half the cap, once.
        """
        limit = int(limit_of(self.llm) * AUTO_SHARE)
        cap = min(limit, MAX_INPUT_TOKENS) if limit else MAX_INPUT_TOKENS
        try:
            return self._summary(request, cap)
        except LLMContextWindowExceedError:
            return self._summary(request, cap // 2)

    def _summary(self, request: SummaryRequest, max_input_tokens: int) -> Summary:
        system, user = render(request, max_input_tokens)
        messages = [
            Message(role="system", content=[TextContent(text=system)]),
            Message(role="user", content=[TextContent(text=user)]),
        ]
        before = self.llm.metrics.accumulated_cost
        response = self._ask(messages)
        parts = (part.text for part in response.message.content if isinstance(part, TextContent))
        text = without_thinking("".join(parts))
        if not text:
            raise SummarizerError(f"{self.name}: an empty answer")
        self.response_id = response.id
        if request.limit > 0:
            text = cut_end(text, request.limit - 1)
        return Summary(text, self.name, _usage(response), self.llm.metrics.accumulated_cost - before)

    def _ask(self, messages: list[Message]) -> LLMResponse:
        """One whole answer; a stream would need someone who reads it."""
        llm = self.llm
        if llm.stream and not getattr(llm, "requires_streaming", False):
            llm = llm.model_copy(update={"stream": False})  # shares the metrics
        return llm.responses(messages) if llm.uses_responses_api() else llm.completion(messages)


def _usage(response: LLMResponse) -> Usage | None:
    return usage_of(response.raw_response.model_dump().get("usage"))
