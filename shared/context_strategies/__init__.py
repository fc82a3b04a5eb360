"""Context management for coding agents: one core of strategies for every scaffold.

    from context_strategies.chat import Manager

    manager = Manager("masking:window=10")
    messages_to_send = manager(messages)

What is exported here is what a strategy's author needs; :mod:`context_strategies.chat` is for agent loops,
:mod:`context_strategies.session` for scaffolds' plugins.
"""

from context_strategies.context import Context, Drop, Edit, Keep, Mask, Part, Summarize, build
from context_strategies.errors import ConfigError
from context_strategies.history import History, Kind, Message
from context_strategies.session import Session
from context_strategies.strategies import Bounded, Settings, State, Strategy, Summarized, choose, strategy_classes
from context_strategies.summarizers import Summarizer, SummarizerError, Summary, SummaryRequest
from context_strategies.terms import Terms

__all__ = [
    "Bounded",
    "ConfigError",
    "Context",
    "Drop",
    "Edit",
    "History",
    "Keep",
    "Kind",
    "Mask",
    "Message",
    "Part",
    "Session",
    "Settings",
    "State",
    "Strategy",
    "Summarize",
    "Summarized",
    "Summarizer",
    "SummarizerError",
    "Summary",
    "SummaryRequest",
    "Terms",
    "build",
    "choose",
    "strategy_classes",
]
