import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from sweagent_items import LONG, called, start, turns

Answer = Callable[[Any, list[dict[str, Any]]], str]

HYBRID = {"type": "hybrid", "window": 1, "every": 2, "refresh": 1}


def answering(monkeypatch: pytest.MonkeyPatch, answer: Answer) -> list[tuple[Any, list[dict[str, Any]]]]:
    """Let the model client answer so; gives the config and messages of each call, as they come."""
    asked = []

    def recorded(config: Any, messages: list[dict[str, Any]]) -> str:
        asked.append((config, messages))
        return answer(config, messages)

    monkeypatch.setattr(import_module("sweagent.agent.models").LiteLLMModel, "answer", staticmethod(recorded))
    return asked


def events(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.with_suffix(".context.jsonl").read_text().splitlines()]


def test_the_runs_model_writes_it_and_the_run_pays(agent: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = answering(monkeypatch, lambda _config, _messages: "<think>x</think>All of it.")
    made = agent(
        [HYBRID],
        tmp_path / "a.traj",
        per_instance_call_limit=1,
        api_key="secret",
        completion_kwargs={"tool_choice": "any", "timeout": 9},
    )
    made.history = start() + turns(5)
    assert "All of it." in made.messages[3]["content"]
    assert (made.model.stats.api_calls, made.model.stats.instance_cost) == (2, 1.0)
    config, messages = asked[0]
    assert [message["role"] for message in messages] == ["system", "user"]
    assert config.api_key.get_secret_value() == "secret"
    assert config.completion_kwargs == {"timeout": 9}
    assert made.model.config.per_instance_call_limit == 1
    condensed = [event for event in events(tmp_path / "a.traj") if event["event"] == "condensed"]
    assert [(event["by"], event["cost"], event["prompt_tokens"]) for event in condensed] == [("gpt-4o", 0.5, 100)] * 2


def test_another_model_is_called_through_the_runs_client(agent: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = answering(monkeypatch, lambda _config, _messages: "Short.")
    summarizer = {"model": "small", "api_base": "http://other", "max_output_tokens": 7}
    made = agent([{**HYBRID, "summarizer": summarizer}], api_base="http://run", completion_kwargs={"reasoning": 1})
    made.history = start() + turns(3)
    assert "Short." in made.messages[3]["content"]
    config, _ = asked[0]
    assert (config.name, config.api_base, config.max_output_tokens) == ("small", "http://other", 7)
    assert "reasoning" not in config.completion_kwargs
    assert made.model.stats.api_calls == 1


def test_a_replayed_run_asks_no_model(agent: Any) -> None:
    for summarizer in ("host", "gpt-4o"):
        made = agent([{**HYBRID, "summarizer": summarizer}], name="replay")
        made.history = start() + turns(3)
        assert "Digest of turns 1 to 2" in made.messages[3]["content"]
        assert made.model.stats.api_calls == 0


@pytest.mark.parametrize("problem", ["down", "empty", "long"])
def test_a_summarizer_that_fails_leaves_the_digest(
    problem: str, agent: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def answer(_config: Any, _messages: Any) -> str:
        if problem == "down":
            raise ConnectionError("refused")
        return "" if problem == "empty" else "word " * 9_000

    answering(monkeypatch, answer)
    made = agent([HYBRID], tmp_path / "a.traj")
    made.history = start() + turns(3)
    summary = made.messages[3]["content"]
    assert ("word" if problem == "long" else "Digest of turns 1 to 2") in summary
    assert len(summary) < sum(len(entry["content"]) for entry in made.history[3:7])
    assert (problem == "long") == ("fallback" not in {event["event"] for event in events(tmp_path / "a.traj")})


def test_a_prompt_too_long_for_the_model_is_halved_once(agent: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def answer(_config: Any, messages: list[dict[str, Any]]) -> str:
        sizes.append(sum(len(message["content"]) for message in messages))
        if len(sizes) == 1:
            raise import_module("sweagent.exceptions").ContextWindowExceededError
        return "Short."

    answering(monkeypatch, answer)
    made = agent([HYBRID], max_input_tokens=8_000)
    made.history = start() + [entry for number in (1, 2, 3) for entry in called(number, LONG * 20)]
    assert made.messages
    assert sizes[1] < sizes[0]


def test_another_model_may_have_its_own_key_and_temperature(agent: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = answering(monkeypatch, lambda _config, _messages: "Short.")
    made = agent([{**HYBRID, "summarizer": {"model": "small", "api_key": "other", "temperature": 0.5}}], api_key="runs")
    made.history = start() + turns(3)
    assert "Short." in made.messages[3]["content"]
    config, _ = asked[0]
    assert (config.api_key.get_secret_value(), config.temperature) == ("other", 0.5)


def test_a_run_that_loses_its_model_gets_the_digest(
    agent: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answering(monkeypatch, lambda _config, _messages: "Short.")
    made = agent([HYBRID], tmp_path / "a.traj")
    made.history = start() + turns(3)
    assert "Short." in made.messages[3]["content"]
    made.model = import_module("sweagent.agent.models").ReplayModel(made.model.config)
    made.history = start() + turns(7)
    assert "made without a model" in made.messages[3]["content"]
    reasons = [event["reason"] for event in events(tmp_path / "a.traj") if event["event"] == "fallback"]
    assert any("the agent is without a model now" in reason for reason in reasons)
