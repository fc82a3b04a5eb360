"""What a strategy needs to know of the OpenHands it runs in: prices, limits, and where the run's files lie."""

from pathlib import Path

from openhands.core.config.openhands_config import OpenHandsConfig
from openhands.llm.llm_registry import LLMRegistry
from openhands.storage.locations import get_conversation_dir

from context_strategies.catalogue import prices_in_use
from context_strategies.events import EVENTS_FILE
from context_strategies.strategies import Strategy
from context_strategies.terms import Terms, terms_for


def terms_of(strategy: Strategy, registry: LLMRegistry) -> Terms:
    """The terms of a run by the agent's model; where a provider caches up to marks, OpenHands must be setting them."""
    llm = registry.get_active_llm()
    prices = prices_in_use(llm.config.model, llm.config.max_input_tokens)
    return terms_for(strategy, prices, cached=prices.caches(marks=llm.is_caching_prompt_active()))


def limit_of(registry: LLMRegistry) -> int:
    """The length in characters that OpenHands cuts outputs to."""
    return int(registry.get_active_llm().config.max_message_chars)


def events_path(config: OpenHandsConfig, session: str, user: str | None) -> Path | None:
    """The file for a session's events; None where OpenHands keeps no files.

    It lies beside the trajectory if one is saved, else in the session's folder of the local file store.
    """
    saved, name = config.save_trajectory_path, session.replace("/", "_") or "session"
    if saved:
        path = Path(saved).expanduser()
        path = path / f"{name}.{EVENTS_FILE}" if path.is_dir() else path.with_name(f"{path.stem}.{EVENTS_FILE}")
    elif config.file_store == "local":
        path = Path(config.file_store_path).expanduser() / get_conversation_dir(name, user) / EVENTS_FILE
    else:
        return None
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
