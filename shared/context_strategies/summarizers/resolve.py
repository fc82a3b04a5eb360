"""From a setting to a summarizer."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from context_strategies.summarizers.base import Summarizer
from context_strategies.summarizers.extractive import Extractive
from context_strategies.summarizers.litellm import LiteLLM


def _itself(model: LiteLLM) -> Summarizer:
    return model


def resolve(
    setting: str | Mapping[str, Any] | LiteLLM,
    host: Callable[[], Summarizer] = Extractive,
    named: Callable[[LiteLLM], Summarizer] = _itself,
) -> Summarizer:
    """The summarizer for ``extractive``, ``host``, a model's name as litellm spells it, or :class:`LiteLLM`'s fields.

    ``host`` makes the one that a scaffold stands for, ``named`` the one for a model; without a scaffold they are the
    digest that rules make, and the model. Raises ``ValueError`` that names the wrong key or value, and the valid keys.
    """
    if setting == "extractive":
        return Extractive()
    if setting == "host":
        return host()
    if isinstance(setting, str):
        return named(LiteLLM(setting))
    return named(setting if isinstance(setting, LiteLLM) else _model(setting))


def _model(fields: Mapping[str, Any]) -> LiteLLM:
    try:
        return TypeAdapter(LiteLLM).validate_python(dict(fields))
    except ValidationError as error:
        wrong = error.errors()[0]
        key = ".".join(map(str, wrong["loc"])) or "summarizer"
        keys = ", ".join(LiteLLM.__dataclass_fields__)
        raise ValueError(f"summarizer.{key}: {wrong['msg']}; valid keys: {keys}") from None
