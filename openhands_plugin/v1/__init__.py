"""Condensers for the OpenHands SDK (V1). Importing this module registers them.

``agent = Agent(llm=llm, tools=tools, condenser=MaskingCondenser(window=10))``
"""

from openhands_plugin.v1.cli import ContextCondenser
from openhands_plugin.v1.condensers import (
    HybridCondenser,
    LLMSummaryCondenser,
    MaskingCondenser,
    RollingSummaryCondenser,
    TruncationCondenser,
)
from openhands_plugin.v1.translate import messages_of

__all__ = [
    "ContextCondenser",
    "HybridCondenser",
    "LLMSummaryCondenser",
    "MaskingCondenser",
    "RollingSummaryCondenser",
    "TruncationCondenser",
    "messages_of",
]
