"""From a setting to a summarizer."""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from context_strategies.summarizers.base import Summarizer
from context_strategies.summarizers.extractive import Extractive
from context_strategies.summarizers.litellm import LiteLLM

RULES = frozenset({"extractive", "host"})
"""Names that need no model: ``host`` is for a scaffold's plugin to resolve, and without a scaffold has no meaning."""


def resolve(setting: str | Mapping[str, Any] | Summarizer) -> Summarizer:
    """The summarizer for ``extractive``, a model's name as litellm spells it, or :class:`LiteLLM`'s fields.

    A summarizer is returned as it is. Raises ``ValueError`` that names the wrong key or value, and the valid keys.
    """
    if isinstance(setting, str):
        if not setting.strip():
            raise ValueError("summarizer: an empty name; give extractive, host or a model's name")
        return Extractive() if setting in RULES else LiteLLM(setting)
    if not isinstance(setting, Mapping):
        return setting
    try:
        return TypeAdapter(LiteLLM).validate_python(dict(setting))
    except ValidationError as error:
        wrong = error.errors()[0]
        key = ".".join(map(str, wrong["loc"])) or "summarizer"
        keys = ", ".join(LiteLLM.__dataclass_fields__)
        raise ValueError(f"summarizer.{key}: {wrong['msg']}; valid keys: {keys}") from None
