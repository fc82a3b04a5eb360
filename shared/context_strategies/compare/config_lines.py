"""How each scaffold is told to use a strategy: a line, or a section, for its own configuration."""

import json
import re
import sys
from collections.abc import Mapping
from typing import Any

import yaml

from context_strategies.strategies import choose, strategy_classes
from context_strategies.strategies.registry import as_mapping

KINDS = {
    "masking": "MaskingCondenser",
    "truncation": "TruncationCondenser",
    "llm_summary": "LLMSummaryCondenser",
    "rolling_summary": "RollingSummaryCondenser",
    "hybrid": "HybridCondenser",
}
"""Names of the strategies in the OpenHands SDK's JSON."""

MARKS = {"type": "cache_control", "last_n_messages": 2}
"""SWE-agent's own processor, as its default config has it: a list of ours replaces that one, marks and all."""

CLASS = "mini_swe_agent_plugin.ContextModel"


def config_lines(spec: str | Mapping[str, Any]) -> dict[str, str]:
    """How each scaffold that can use the strategy ``spec`` is told to; raises ConfigError as ``choose`` does."""
    mapping = as_mapping(spec)
    fields, name = _given(choose(mapping)), str(mapping["type"])
    strategy = {"type": name, **fields}
    lines = {}
    if name in strategy_classes():
        lines["SWE-agent (agent.history_processors)"] = _yaml([strategy, MARKS])
    lines["OpenHands config.toml"] = "\n".join(["[condenser]", *map(_pair, strategy.items())])
    lines["mini-swe-agent (model)"] = _yaml({"model_class": CLASS, "context": strategy})
    if name in KINDS:
        lines["OpenHands SDK (agent.condenser)"] = json.dumps({"kind": KINDS[name], **fields})
    return lines


def _given(strategy: Any) -> dict[str, Any]:
    """The fields that were set, and of what is in them only what differs from its defaults; no secrets."""
    fields: dict[str, Any] = strategy.model_dump(mode="json", exclude={"type"}, exclude_unset=True)
    fields.update(strategy.model_dump(mode="json", include=set(fields), exclude_defaults=True))
    return fields


def _yaml(value: object) -> str:
    """``value`` as YAML on one line."""
    return yaml.dump(value, Dumper=_OneLine, default_flow_style=True, sort_keys=False, width=sys.maxsize).strip()


class _OneLine(yaml.SafeDumper):
    """Writes a text of several lines with its breaks escaped."""


_OneLine.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if "\n" in text else None),
)


def _toml(value: object) -> str:
    """``value`` as TOML on one line. There is no null in TOML: OpenHands' plugin takes the word for it."""
    if isinstance(value, dict):
        return f"{{{', '.join(map(_pair, value.items()))}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    text = "null" if value is None else str(value)
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _pair(item: tuple[str, object]) -> str:
    key, value = item
    return f"{key if re.fullmatch('[A-Za-z0-9_-]+', key) else _toml(key)} = {_toml(value)}"
