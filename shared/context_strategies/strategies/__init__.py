"""The strategies, by the names they are chosen by."""

from context_strategies.strategies.base import Bounded, Settings, State, Strategy, Summarized
from context_strategies.strategies.hybrid import Hybrid
from context_strategies.strategies.llm_summary import LLMSummary
from context_strategies.strategies.masking import Masking
from context_strategies.strategies.raw import Raw
from context_strategies.strategies.registry import choose, strategy_classes
from context_strategies.strategies.rolling_summary import RollingSummary
from context_strategies.strategies.truncation import Truncation

__all__ = [
    "Bounded",
    "Hybrid",
    "LLMSummary",
    "Masking",
    "Raw",
    "RollingSummary",
    "Settings",
    "State",
    "Strategy",
    "Summarized",
    "Truncation",
    "choose",
    "strategy_classes",
]
