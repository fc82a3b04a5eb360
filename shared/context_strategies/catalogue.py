"""Prices by model: from litellm's price file, read as data without importing litellm, or from a YAML of the user's.

The YAML is a mapping of model names to the file's own keys, prices in US dollars a token:

    my-model: {input_cost_per_token: 1e-6, output_cost_per_token: 5e-6, cache_read_input_token_cost: 1e-7}
"""

import json
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from context_strategies.errors import ConfigError
from context_strategies.events import LOG
from context_strategies.fields import MAX_NUMBER
from context_strategies.prices import Prices, Rates, relative
from context_strategies.yaml_text import read_yaml

FILE = "model_prices_and_context_window_backup.json"
EXTRA_KEYS = frozenset({"max_input_tokens", "prompt_cache_min_tokens", "litellm_provider"})
KEYS = (
    "input_cost_per_token",
    "output_cost_per_token",
    "cache_read_input_token_cost",
    "cache_creation_input_token_cost",
)
ABOVE = re.compile(rf"^({'|'.join(KEYS)})_above_(\d{{1,9}})(k?)_tokens$", re.ASCII)
INCLUSIVE = frozenset({"xai"})
"""Providers whose higher tier starts at its threshold, not above it."""

READ_SHARE = {"fireworks_ai": 0.5}
"""Share of the input price that a provider charges for a cached token where the file names no price for it."""

OPENAI_MINIMUM, OPENAI_STEP = 1024, 128
"""OpenAI's prompt caching guide: prompts of 1,024 tokens and more are cached, in steps of 128."""

Entry = Mapping[str, Any]


@cache
def bundled() -> Mapping[str, Entry]:
    """Litellm's models and their entries; empty where litellm is not installed, or its file can't be read."""
    spec = find_spec("litellm")
    places = spec.submodule_search_locations if spec else None
    path = Path(next(iter(places))) / FILE if places else None
    if path is None or not path.is_file():
        return {}
    try:
        entries = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        LOG.warning("prices are not read from %s: %s; instead: the usual ratios", path, error)
        return {}
    return entries if isinstance(entries, Mapping) else {}


def read_prices(path: Path) -> Mapping[str, Entry]:
    """The user's own price file; raises ConfigError."""
    content = read_yaml(path)
    if not isinstance(content, Mapping):
        raise ConfigError(f"{path}: must map model names to prices")
    for model, entry in content.items():
        _check(path, model, entry)
    return content


def _check(path: Path, model: object, entry: object) -> None:
    if not isinstance(entry, Mapping) or "input_cost_per_token" not in entry:
        raise ConfigError(f"{path}: {model}: needs input_cost_per_token (US dollars a token)")
    for key, value in entry.items():
        if key not in KEYS and key not in EXTRA_KEYS and not ABOVE.match(str(key)):
            valid = ", ".join([*KEYS, "..._above_200k_tokens", *sorted(EXTRA_KEYS)])
            raise ConfigError(f"{path}: {model}: unknown key {key!r}; valid keys: {valid}")
        if key == "litellm_provider":
            continue
        try:
            fits = 0 <= float(value) < MAX_NUMBER
        except (OverflowError, TypeError, ValueError):
            fits = False
        if not fits:
            raise ConfigError(f"{path}: {model}: {key} must be a number of at least 0, not {value!r}")


def prices_of(model: str, own: Mapping[str, Entry] | None = None) -> Prices:
    """The prices of ``model``: the user's ``own`` first, then litellm's; an assumption, named so, where neither has
    it.
    """
    for entries in (own or {}, bundled()):
        for name in spellings(model):
            entry = entries.get(name)
            if entry is not None and _priced(entry):
                return _prices(name, entry)
    return relative()


def prices_in_use(model: str, limit: int | None = None) -> Prices:
    """The prices of a run's ``model``, with its own input ``limit`` if it has one. Never raises.

    They are those of the table that litellm works with in this process, rather than of its file: it has what the user's
    own registry added.
    """
    try:
        prices = prices_of(model, getattr(sys.modules.get("litellm"), "model_cost", None))
        return replace(prices, limit=int(limit or prices.limit))
    except Exception as error:  # noqa: BLE001 - never fatal: anyone may have written into the table
        LOG.warning("prices of %s: %r; instead: the usual ratios", model, error)
        return relative()


def known_models(own: Mapping[str, Entry] | None = None) -> list[str]:
    """Every model with a price."""
    return sorted({name for entries in (own or {}, bundled()) for name, entry in entries.items() if _priced(entry)})


def spellings(model: str) -> Iterable[str]:
    """``model`` as it is written; then without the leading parts that routers put before a name; then as Bedrock calls
    it, which still lists models at the same price that their maker has retired.
    """
    parts = model.split("/")
    names = ["/".join(parts[start:]) for start in range(len(parts))]
    return [*names, f"anthropic.{parts[-1]}-v1:0"] if parts[-1].startswith("claude-") else names


def _priced(entry: Entry) -> bool:
    if "tiered_pricing" in entry:
        return True
    return "input_cost_per_token" in entry and "output_cost_per_token" in entry


def _prices(model: str, entry: Entry) -> Prices:
    provider = str(entry.get("litellm_provider", ""))
    openai = provider in {"openai", "azure"}
    if KEYS[0] in entry and KEYS[2] not in entry and provider in READ_SHARE:
        entry = {**entry, KEYS[2]: READ_SHARE[provider] * float(entry[KEYS[0]])}
    return Prices(
        model=model,
        tiers=tuple(_listed(entry) if entry.get("tiered_pricing") else _stepped(entry)),
        inclusive=provider in INCLUSIVE,
        min_cacheable=int(float(entry.get("prompt_cache_min_tokens") or (OPENAI_MINIMUM if openai else 0))),
        granularity=OPENAI_STEP if openai else 1,
        limit=int(float(entry.get("max_input_tokens") or 0)),
        explicit="anthropic" in provider or "claude" in model,
    )


def _listed(entry: Entry) -> Iterable[tuple[int, Rates]]:
    """Tiers given as a list, each complete in itself: what one doesn't name costs its input price."""
    for tier in entry["tiered_pricing"]:
        yield int(float(tier["range"][0])), _rates(tier)


def _stepped(entry: Entry) -> Iterable[tuple[int, Rates]]:
    """Tiers given by ``..._above_200k_tokens`` keys, each changing what it names of the tier before."""
    current = {key: entry.get(key) for key in KEYS}
    yield 0, _rates(current)
    steps: dict[int, dict[str, float]] = {}
    for key, value in entry.items():
        match = ABOVE.match(key)
        if match and value is not None:
            threshold = int(match[2]) * (1000 if match[3] else 1)
            steps.setdefault(threshold, {})[match[1]] = float(value)
    for threshold in sorted(steps):
        current = {**current, **steps[threshold]}
        yield threshold, _rates(current)


def _rates(entry: Entry) -> Rates:
    """Rates from an entry's four keys; a provider that names no price for the cache charges its input price there."""
    given = {key: entry.get(key) for key in KEYS}
    read = float(given[KEYS[0]] or 0.0)
    hit, write = given[KEYS[2]], given[KEYS[3]]
    return Rates(
        input=read,
        output=float(given[KEYS[1]] or 0.0),
        cache_read=read if hit is None else float(hit),
        cache_write=read if write is None else float(write),
    )
