"""Fields as they are written behind a strategy's name on one line."""

from typing import Any

from context_strategies.errors import ConfigError
from context_strategies.yaml_text import parse_yaml


def fields_of(text: str, spec: str) -> dict[str, Any]:
    """``a=1,b={min_tokens: 5}`` as a mapping; values are YAML. Raises ConfigError, which names all of ``spec``."""
    fields: dict[str, Any] = {}
    for item in _split(text):
        key, equals, value = item.partition("=")
        if not equals:
            message = f'strategy "{spec}": "{item}" is not field=value'
            raise ConfigError(message)
        wrong = f'strategy "{spec}": the value of {key.strip()} is not valid YAML: {value}'
        fields[key.strip()] = parse_yaml(value, wrong)
    return fields


def _split(text: str) -> list[str]:
    """``text`` at its commas, but for those inside brackets."""
    items, depth, start = [], 0, 0
    for place, char in enumerate(text):
        depth += (char in "[{") - (char in "]}")
        if char == "," and depth == 0:
            items.append(text[start:place])
            start = place + 1
    return [item for item in (*items, text[start:]) if item.strip()]
