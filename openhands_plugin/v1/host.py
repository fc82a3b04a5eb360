"""What a condenser can know of the run that it is part of."""

import os
import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from openhands.sdk.llm import LLM

from context_strategies.catalogue import prices_of
from context_strategies.events import JsonLines
from context_strategies.strategies import Strategy
from context_strategies.terms import Terms, terms_for

EVENTS = "CONTEXT_STRATEGIES_EVENTS"
"""The environment variable for a condenser's field ``events``."""

FILE = "context-strategies.jsonl"


def limit_of(llm: LLM) -> int:
    """Tokens that a prompt of ``llm`` may have; 0 where unknown."""
    return int(getattr(llm, "effective_max_input_tokens", None) or llm.max_input_tokens or 0)


def terms_of(strategy: Strategy, llm: LLM | None) -> Terms:
    """The terms of a run with ``llm`` as its agent's model."""
    if llm is None:
        return terms_for(strategy, prices_of(""))
    prices = _prices(llm.model)
    return terms_for(strategy, replace(prices, limit=limit_of(llm) or prices.limit), cached=bool(llm.caching_prompt))


_prices = lru_cache(maxsize=64)(prices_of)


def conversation_id() -> str:
    """The id of the conversation whose step this is; empty where the SDK doesn't tell."""
    try:
        from openhands.sdk.llm.call_context import resolve_llm_call_context  # noqa: PLC0415 - not in every release
    except ImportError:
        return ""
    return resolve_llm_call_context(None).session_id or ""


def events_file(folder: str | None, first_event: str) -> JsonLines | None:
    """Where a conversation's events go, None where nobody asked.

    In ``folder``, or the one that the environment names: if it holds the conversation's own folder, as the SDK's
    persistence folder does, in there; else in a file called by the conversation's id, or its first event's.
    """
    named = folder or os.environ.get(EVENTS)
    if not named:
        return None
    conversation = re.sub(r"[^0-9A-Za-z]", "", conversation_id())
    own = Path(named) / conversation
    if conversation and own.is_dir():
        return JsonLines(own / FILE)
    Path(named).mkdir(parents=True, exist_ok=True)
    return JsonLines(Path(named) / f"{conversation or re.sub(r'[^0-9A-Za-z-]', '', first_event)[:64]}.jsonl")
