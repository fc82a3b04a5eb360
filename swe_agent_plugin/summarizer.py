"""Summaries by the run's own model: its keys, its retries, and its cost limits, which include every summary call."""

from functools import partial
from typing import Any

from context_strategies.prices import Usage
from context_strategies.strategies import Summarized
from context_strategies.summarizers import Extractive, LiteLLM, Summarizer, SummarizerError, resolve
from context_strategies.summarizers.ask import Answer, Asking, cap_of

OF_THE_AGENT = frozenset(
    {"tools", "tool_choice", "parallel_tool_calls", "functions", "function_call", "response_format"}
)
"""Arguments of the agent's calls that a summary call must not have."""

NO_LIMITS = {"per_instance_cost_limit": 0, "total_cost_limit": 0, "per_instance_call_limit": 0}
"""A limit that a summary call exceeds ends the run at the agent's next call, in order, and not inside a processor."""


def summarizer_of(strategy: object, agent: Any, limit: int) -> Summarizer | None:
    """Who writes ``strategy``'s summaries: the run's model, which takes ``limit`` tokens (0: unknown), or another
    through its client; None where it needs none.

    A replayed or human run asks no model: there the digest that rules make stands in.
    """
    if not isinstance(strategy, Summarized):
        return None
    return resolve(strategy.summarizer, partial(_asking, agent, limit), partial(_asking, agent, limit))


def _asking(agent: Any, limit: int, named: LiteLLM | None = None) -> Summarizer:
    from sweagent.exceptions import ContextWindowExceededError  # noqa: PLC0415 - SWE-agent's, and loaded by then

    if not _asks_a_model(agent):
        return Extractive()
    name, cap = (named.model, named.max_input_tokens) if named else (str(agent.model.config.name), cap_of(limit))
    return Asking(name, partial(_ask, agent, named), ContextWindowExceededError, cap)


def _asks_a_model(agent: Any) -> bool:
    from sweagent.agent.models import LiteLLMModel  # noqa: PLC0415 - SWE-agent's, and loaded by then

    return isinstance(getattr(agent, "model", None), LiteLLMModel)


def _ask(agent: Any, named: LiteLLM | None, system: str, user: str) -> Answer:
    """One call of the model that ``agent`` uses now, or of ``named`` by the same client, charged to the run."""
    if not _asks_a_model(agent):
        raise SummarizerError("the agent is without a model now")
    model = _client(agent.model, named)
    stats = model.stats
    before = (stats.tokens_sent, stats.tokens_received, stats.instance_cost)
    answer = model.query([{"role": "system", "content": system}, {"role": "user", "content": user}])
    usage = Usage(stats.tokens_sent - before[0], output=stats.tokens_received - before[1])
    return Answer(answer["message"], usage, stats.instance_cost - before[2])


def _client(model: Any, named: LiteLLM | None) -> Any:
    """The run's client without the agent's tools and limits, counting into the run's own statistics."""
    from sweagent.agent.models import LiteLLMModel  # noqa: PLC0415 - as above
    from sweagent.tools.parsing import ActionParser  # noqa: PLC0415 - as above
    from sweagent.tools.tools import ToolConfig  # noqa: PLC0415 - as above

    changes = _changes(named) if named else {"completion_kwargs": _own(model.config.completion_kwargs)}
    config = model.config.model_copy(deep=True, update={**NO_LIMITS, **changes})
    client = LiteLLMModel(config, ToolConfig(parse_function=ActionParser()))
    client.stats = model.stats
    return client


def _own(arguments: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in arguments.items() if key not in OF_THE_AGENT}


def _changes(named: LiteLLM) -> dict[str, Any]:
    """What another model changes in the run's model config; what it leaves open stays the run's."""
    from pydantic import SecretStr  # noqa: PLC0415 - only here

    changes: dict[str, Any] = {
        "name": named.model,
        "fallbacks": [],
        "max_input_tokens": None,
        "max_output_tokens": named.max_output_tokens,
        "completion_kwargs": {"max_tokens": named.max_output_tokens, "timeout": named.timeout, "drop_params": True},
    }
    if named.temperature is not None:
        changes["temperature"] = named.temperature
    if named.api_base:
        changes["api_base"] = named.api_base
    if named.api_key:
        changes["api_key"] = SecretStr(named.api_key)
    return changes
