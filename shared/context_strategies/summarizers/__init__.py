"""Summarizers: what turns old turns into text."""

from context_strategies.summarizers.base import Summarizer, SummarizerError, Summary, SummaryRequest
from context_strategies.summarizers.extractive import Extractive
from context_strategies.summarizers.keep import keep_facts_verbatim
from context_strategies.summarizers.litellm import LiteLLM
from context_strategies.summarizers.prompt import render
from context_strategies.summarizers.resolve import resolve

__all__ = [
    "Extractive",
    "LiteLLM",
    "Summarizer",
    "SummarizerError",
    "Summary",
    "SummaryRequest",
    "keep_facts_verbatim",
    "render",
    "resolve",
]
