"""Summaries by an LLM of the SDK: its keys, retries and metrics, so that stats and budgets count them."""

from collections.abc import Callable
from functools import partial

from openhands.sdk.llm import LLM, Message, TextContent
from openhands.sdk.llm.exceptions import LLMContextWindowExceedError

from context_strategies.strategies import Strategy, Summarized
from context_strategies.summarizers import Extractive, Summarizer, resolve
from context_strategies.summarizers.ask import Answer, Asking, cap_of
from context_strategies.usage import usage_of
from openhands_plugin.v1.host import limit_of


def writer(strategy: Strategy, own: LLM | None, agent_llm: LLM | None) -> LLM | None:
    """The model that writes ``strategy``'s summaries: the condenser's ``own``, or the agent's; None if none does.

    One of the agent's usage id counts into the agent's metrics, or nobody would count it.
    """
    if not isinstance(strategy, Summarized) or strategy.summarizer != "host":
        return None
    if own and agent_llm and own.usage_id == agent_llm.usage_id and own.metrics is not agent_llm.metrics:
        own.restore_metrics(agent_llm.metrics)
    return own or agent_llm


def summarizer_for(strategy: Strategy, llm: LLM | None, answered: Callable[[str], None]) -> Summarizer:
    """Who writes the summaries: ``llm`` if there is one, else what the strategy names.

    ``answered`` is told the id of each response of ``llm``.
    """
    if llm:
        ask = partial(_ask, llm, answered)
        return Asking(str(llm.model), ask, LLMContextWindowExceedError, cap_of(limit_of(llm)))
    return resolve(strategy.summarizer) if isinstance(strategy, Summarized) else Extractive()


def _ask(llm: LLM, answered: Callable[[str], None], system: str, user: str) -> Answer:
    """One whole answer; a stream would need someone who reads it."""
    if llm.stream and not getattr(llm, "requires_streaming", False):
        llm = llm.model_copy(update={"stream": False})  # shares the metrics
    messages = [
        Message(role="system", content=[TextContent(text=system)]),
        Message(role="user", content=[TextContent(text=user)]),
    ]
    before = llm.metrics.accumulated_cost
    response = llm.responses(messages) if llm.uses_responses_api() else llm.completion(messages)
    answered(response.id)
    text = "".join(part.text for part in response.message.content if isinstance(part, TextContent))
    usage = usage_of(response.raw_response.model_dump().get("usage"))
    return Answer(text, usage, llm.metrics.accumulated_cost - before)
