"""Summaries by OpenHands' own model client: its keys and its retries, its statistics and its budget."""

from functools import partial
from typing import Any

from litellm.exceptions import ContextWindowExceededError
from openhands.core.config.llm_config import LLMConfig
from openhands.core.config.utils import get_llm_config_arg
from openhands.llm.llm import LLM
from openhands.llm.llm_registry import LLMRegistry

from context_strategies.errors import ConfigError
from context_strategies.strategies import Summarized
from context_strategies.summarizers import LiteLLM, Summarizer, resolve
from context_strategies.summarizers.ask import MAX_INPUT_TOKENS, Answer, Asking, cap_of
from context_strategies.usage import usage_of

SERVICE = "condenser"
"""The name under which OpenHands' statistics list the summary calls, as those of its own condensers."""


def summarizer_of(strategy: object, llm_config: str | None, registry: LLMRegistry) -> Summarizer | None:
    """Who writes ``strategy``'s summaries; None where it needs none. ConfigError where ``llm_config`` is not there."""
    if not isinstance(strategy, Summarized):
        return None

    def host() -> Summarizer:
        return _asking(_section(llm_config, registry), registry)

    def named(model: LiteLLM) -> Summarizer:
        return _asking(_named(model), registry, model.max_input_tokens)

    return resolve(strategy.summarizer, host, named)


def _asking(config: LLMConfig, registry: LLMRegistry, most: int = MAX_INPUT_TOKENS) -> Summarizer:
    """Asks the model of ``config`` through OpenHands' client, with prompts of ``most`` estimated tokens."""
    llm = _registered(config, registry)
    cap = min(most, cap_of(llm.config.max_input_tokens or 0))
    return Asking(llm.config.model, partial(_ask, llm), ContextWindowExceededError, cap)


def _named(model: LiteLLM) -> LLMConfig:
    """A config for a model that is given by name; what is left open, litellm takes from the environment."""
    return LLMConfig(
        model=model.model,
        base_url=model.api_base,
        api_key=model.api_key,
        temperature=model.temperature or 0.0,
        max_output_tokens=model.max_output_tokens,
        timeout=round(model.timeout),
        num_retries=model.retries,
    )


def _section(name: str | None, registry: LLMRegistry) -> LLMConfig:
    """``[llm.NAME]``, which OpenHands knows, or which is in its ``config.toml``; without a name the agent's own."""
    if name is None:
        return registry.get_active_llm().config
    found = registry.config.llms.get(name) or get_llm_config_arg(name)
    if found is None:
        sections = ", ".join(key for key in registry.config.llms if key != "llm")
        raise ConfigError(f'llm_config="{name}": there is no [llm.{name}]; there are: {sections or "none"}')
    return found


def _registered(config: LLMConfig, registry: LLMRegistry) -> LLM:
    """The client for ``config``, counted by OpenHands; no summary request is sent twice, so it writes to no cache."""
    config = config.model_copy(update={"caching_prompt": False})
    taken = registry.service_to_llm.get(SERVICE)
    service = SERVICE if taken is None or taken.config == config else f"{SERVICE} {config.model}"
    return registry.get_llm(service, config)


def _ask(llm: LLM, system: str, user: str) -> Answer:
    spent = llm.metrics.accumulated_cost
    response: Any = llm.completion(messages=[{"role": "system", "content": system}, {"role": "user", "content": user}])
    used = getattr(response, "usage", None)
    usage = usage_of(used.model_dump()) if used else None
    text = response.choices[0].message.content or ""
    return Answer(text, usage, llm.metrics.accumulated_cost - spent)
