"""Context management for coding agents: one core of strategies for every scaffold.

    from context_strategies.chat import Manager

    manager = Manager("masking:window=10")
    messages_to_send = manager(messages)

What is exported here is what a strategy's author needs; :mod:`context_strategies.chat` is for agent loops,
:mod:`context_strategies.session` for scaffolds' plugins. Names are loaded when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from context_strategies.context import Context as Context
    from context_strategies.context import Drop as Drop
    from context_strategies.context import Edit as Edit
    from context_strategies.context import Keep as Keep
    from context_strategies.context import Mask as Mask
    from context_strategies.context import Part as Part
    from context_strategies.context import Summarize as Summarize
    from context_strategies.context import build as build
    from context_strategies.errors import ConfigError as ConfigError
    from context_strategies.history import History as History
    from context_strategies.history import Kind as Kind
    from context_strategies.history import Message as Message
    from context_strategies.session import Session as Session
    from context_strategies.strategies import Bounded as Bounded
    from context_strategies.strategies import Settings as Settings
    from context_strategies.strategies import State as State
    from context_strategies.strategies import Strategy as Strategy
    from context_strategies.strategies import Summarized as Summarized
    from context_strategies.strategies import choose as choose
    from context_strategies.strategies import strategy_classes as strategy_classes
    from context_strategies.summarizers import Summarizer as Summarizer
    from context_strategies.summarizers import SummarizerError as SummarizerError
    from context_strategies.summarizers import Summary as Summary
    from context_strategies.summarizers import SummaryRequest as SummaryRequest
    from context_strategies.terms import Terms as Terms

_HOMES = {
    "context": ("Context", "Drop", "Edit", "Keep", "Mask", "Part", "Summarize", "build"),
    "errors": ("ConfigError",),
    "history": ("History", "Kind", "Message"),
    "session": ("Session",),
    "strategies": ("Bounded", "Settings", "State", "Strategy", "Summarized", "choose", "strategy_classes"),
    "summarizers": ("Summarizer", "SummarizerError", "Summary", "SummaryRequest"),
    "terms": ("Terms",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"context_strategies.{home}"), name)
    raise AttributeError(f"module 'context_strategies' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(name for names in _HOMES.values() for name in names)
