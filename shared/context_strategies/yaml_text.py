"""YAML that users write, parsed within bounds; what is wrong with it is one line."""

from pathlib import Path
from typing import Any

import yaml

from context_strategies.errors import ConfigError
from context_strategies.fields import MALFORMED, reason

MOST_VALUES = 100_000
"""A document that unfolds to more is refused: nine lines of aliases make hundreds of millions."""


def read_yaml(path: Path) -> Any:
    """The document in ``path``; raises ConfigError."""
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: can't be read: {reason(error)}") from None
    return parse_yaml(content, f"{path}: not valid YAML")


def parse_yaml(content: str, wrong: str) -> Any:
    """The document ``content``; raises a ConfigError that begins with ``wrong``."""
    try:
        value = yaml.safe_load(content)
        unfolded = _values(value, {})
    except (yaml.YAMLError, *MALFORMED) as error:  # a date that there is none of, say, is a plain ValueError
        raise ConfigError(f"{wrong}: {reason(error)}") from None
    if unfolded > MOST_VALUES:
        raise ConfigError(f"{wrong}: aliases unfold to more than {MOST_VALUES:,} values")
    return value


def _values(value: object, known: dict[int, int]) -> int:
    """How many values ``value`` unfolds to; too many where it holds itself."""
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ()
    if id(value) not in known:
        known[id(value)] = MOST_VALUES + 1
        known[id(value)] = 1 + sum(_values(one, known) for one in inner)
    return known[id(value)]
