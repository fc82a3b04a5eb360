from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("minisweagent", reason="mini-swe-agent is not installed")

from context_strategies import SummarizerError, SummaryRequest, choose
from context_strategies.summarizers import LiteLLM
from context_strategies.summarizers.ask import MAX_INPUT_TOKENS, Answer, cap_of
from mini_swe_agent_plugin import summarizer

REQUEST = SummaryRequest("Fix it.", "", (), 1, 3)
MODEL: Any = SimpleNamespace(config=SimpleNamespace(model_name="openai/x"))


def test_an_answer_that_is_paid_for_and_empty_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    spent: list[float] = []
    everywhere: list[float] = []
    monkeypatch.setattr(LiteLLM, "ask", lambda *_: Answer("", cost=0.5))
    monkeypatch.setattr(summarizer, "GLOBAL_MODEL_STATS", SimpleNamespace(add=everywhere.append))
    ask = summarizer.summarizer_of(choose("hybrid:summarizer=openai/y"), MODEL, 0, spent.append)
    assert ask is not None
    with pytest.raises(SummarizerError, match="openai/y: an empty answer"):
        ask(REQUEST)
    assert spent == everywhere == [0.5]


def test_the_models_own_limit_caps_its_prompts_whatever_the_contexts_have() -> None:
    ask: Any = summarizer.summarizer_of(choose("hybrid:max_tokens=6000"), MODEL, 40_000, print)
    assert ask.max_input_tokens == cap_of(40_000) == 30_000
    assert cap_of(0) == cap_of(10**6) == MAX_INPUT_TOKENS
