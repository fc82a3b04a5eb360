"""Summaries by the run's own model class: its keys and its retries, and charged to the run whoever writes them."""

from collections.abc import Callable
from functools import partial
from typing import Any

from litellm.exceptions import ContextWindowExceededError
from minisweagent.exceptions import FormatError
from minisweagent.models import GLOBAL_MODEL_STATS
from minisweagent.models.litellm_model import LitellmModel
from minisweagent.models.litellm_textbased_model import LitellmTextbasedModel

from context_strategies.fields import section
from context_strategies.messages import text_of
from context_strategies.strategies import Summarized
from context_strategies.summarizers import Extractive, LiteLLM, Summarizer, resolve
from context_strategies.summarizers.ask import Answer, Asking, cap_of
from context_strategies.usage import usage_of
from mini_swe_agent_plugin.translate import as_chat

OF_THE_AGENT = frozenset({"tools", "tool_choice", "parallel_tool_calls", "response_format"})
"""Arguments of the agent's calls that a summary call must not have."""

SCRIPTED = "minisweagent.models.test_models"
"""Model classes that answer from a list: a summary call would take an answer that is meant for the agent."""

WHOLE = r"\A(.*)\Z"

Charge = Callable[[float], None]


def summarizer_of(strategy: object, model: Any, limit: int, charge: Charge) -> Summarizer | None:
    """Who writes ``strategy``'s summaries in a run with ``model``, which takes ``limit`` tokens (0: unknown); None
    where it needs none.

    ``charge`` is told what each call cost, in US dollars.
    """
    if not isinstance(strategy, Summarized):
        return None
    return resolve(strategy.summarizer, partial(_host, model, limit, charge), partial(_named, charge))


def _host(model: Any, limit: int, charge: Charge) -> Summarizer:
    if type(model).__module__ == SCRIPTED:
        return Extractive()
    ask = partial(_ask, _client(model), charge)
    return Asking(str(model.config.model_name), ask, ContextWindowExceededError, cap_of(limit))


def _named(charge: Charge, model: LiteLLM) -> Summarizer:
    return Asking(model.name, partial(_ask_named, model, charge), ContextWindowExceededError, model.max_input_tokens)


def _client(model: Any) -> Any:
    """``model`` without the agent's tool and cache marks, which of litellm's classes the text-based one is."""
    if type(model) not in {LitellmModel, LitellmTextbasedModel}:
        return model
    settings = model.config.model_dump()
    own = {key: value for key, value in settings["model_kwargs"].items() if key not in OF_THE_AGENT}
    changes = {"model_kwargs": own, "set_cache_control": None, "action_regex": WHOLE}
    make: Any = LitellmTextbasedModel
    return make(**{**settings, **changes})


def _ask(client: Any, charge: Charge, system: str, user: str) -> Answer:
    try:
        reply = client.query([{"role": "system", "content": system}, {"role": "user", "content": user}])
    except FormatError as error:  # an answer without a command, which is what is wanted; it carries the response
        reply = error.messages[0]
    extra = section(reply, "extra")
    cost = float(extra.get("cost") or 0.0)
    charge(cost)
    response = section(extra, "response") or reply  # of the Responses API, a reply is the response itself
    choices = response.get("choices")
    said = section(choices[0], "message") if choices else as_chat(response)
    return Answer(text_of(said.get("content"))[0], usage_of(response.get("usage")), cost)


def _ask_named(model: LiteLLM, charge: Charge, system: str, user: str) -> Answer:
    """One call, charged to the run, and to mini-swe-agent's statistics of all runs: RuntimeError above their limit."""
    answer = model.ask(system, user)
    charge(answer.cost or 0.0)
    GLOBAL_MODEL_STATS.add(answer.cost or 0.0)
    return answer
