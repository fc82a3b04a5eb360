"""What a condenser can know of the run that it is part of."""

import os
import re
from functools import lru_cache
from pathlib import Path

from openhands.sdk.llm import LLM

from context_strategies.catalogue import prices_in_use
from context_strategies.events import LOG, SDK_EVENTS_FILE, JsonLines
from context_strategies.prices import relative
from context_strategies.strategies import Strategy
from context_strategies.terms import Terms, terms_for

EVENTS = "CONTEXT_STRATEGIES_EVENTS"
"""The environment variable for a condenser's field ``events``."""


def limit_of(llm: LLM) -> int:
    """Tokens that a prompt of ``llm`` may have; 0 where unknown."""
    return int(getattr(llm, "effective_max_input_tokens", None) or llm.max_input_tokens or 0)


def terms_of(strategy: Strategy, llm: LLM | None) -> Terms:
    """The terms of a run with ``llm`` as its agent's model."""
    if llm is None:
        return terms_for(strategy, relative())
    prices = _prices(llm.model, limit_of(llm))
    return terms_for(strategy, prices, cached=prices.caches(marks=llm.is_caching_prompt_active()))


_prices = lru_cache(maxsize=64)(prices_in_use)


def events_file(folder: str | None, first_event: str) -> JsonLines | None:
    """Where a conversation's events go, None where nobody asked.

    In ``folder``, or the one that the environment names: if it is the SDK's persistence folder, in the conversation's
    own, found by its first event; else in a file called by that event's id. The folder is made if need be; where it
    can't be, that is said and nothing recorded.
    """
    named = folder or os.environ.get(EVENTS)
    if not named:
        return None
    first = re.sub(r"[^\w-]", "", first_event, flags=re.ASCII)[:64]
    try:
        place = Path(named).expanduser()  # in a settings file no shell does that
        stored = next(place.glob(f"*/events/event-*-{first}.json"), None)
        if stored:
            return JsonLines(stored.parents[1] / SDK_EVENTS_FILE)
        place.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:  # the latter where nobody's home is meant
        LOG.warning("events are not recorded in %s: %s", named, error)
        return None
    return JsonLines(place / f"{first}.jsonl")
