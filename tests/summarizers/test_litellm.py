import builtins
import importlib
from typing import Any

import pytest

from context_strategies.history import Kind, Message
from context_strategies.summarizers import LiteLLM, SummarizerError, SummaryRequest
from context_strategies.testing import ScriptedModel, Step, context_exceeded, fail, hang, say, too_long
from context_strategies.tokens import estimate

adapter = importlib.import_module("context_strategies.summarizers.litellm")

MESSAGES = (
    Message(Kind.ACTION, "I look.", call_ids=("c",)),
    Message(Kind.OBSERVATION, "line of output\n" * 2_000, call_ids=("c",), tool="bash", command="cat a.py"),
)
REQUEST = SummaryRequest("TASK-ID: a\nFix it.", "", MESSAGES, 1, 1, limit=600)


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    monkeypatch.setattr(adapter, "FIRST_WAIT", 0.01)
    pytest.importorskip("litellm", reason="the litellm extra is not installed")


def summarizer(server: ScriptedModel, **fields: Any) -> LiteLLM:
    settings: dict[str, Any] = {"model": "openai/gpt-4.1-mini", "api_base": server.url, "api_key": "k", "timeout": 20}
    return LiteLLM(**settings | fields)


def failure(*steps: Step, **fields: Any) -> tuple[str, int]:
    """The error's text, and how many requests it took."""
    with ScriptedModel([], summaries=steps, seconds=60) as model:
        with pytest.raises(SummarizerError) as caught:
            summarizer(model, **fields)(REQUEST)
        return str(caught.value), len(model.log)


def test_text_usage_and_cost_come_back() -> None:
    with ScriptedModel([], summaries=[say("All fine.")]) as model:
        ask = summarizer(model)
        first, second = ask(REQUEST), ask(REQUEST)
    assert (first.text, first.by) == ("All fine.", "openai/gpt-4.1-mini")
    assert first.usage
    assert second.usage
    assert (first.usage.cached, first.usage.output) == (0, 3)
    assert second.usage.cached > 0.9 * second.usage.prompt == 0.9 * first.usage.prompt
    assert first.cost
    assert second.cost
    assert first.cost == pytest.approx(first.usage.prompt * 0.4e-6 + 3 * 1.6e-6)
    assert second.cost < first.cost
    body = model.log[0].body
    assert (model.log[0].kind, body["temperature"], body["max_tokens"]) == ("summary", 0.0, 4_096)


def test_an_unknown_price_is_no_error() -> None:
    with ScriptedModel([], summaries=[say("All fine.")]) as model:
        answer = summarizer(model, model="openai/my-own-model")(REQUEST)
    assert answer.text == "All fine."
    assert answer.cost is None


@pytest.mark.parametrize("status", [429, 500, 503])
def test_passing_failures_are_retried(status: int) -> None:
    with ScriptedModel([], summaries=[fail(status), fail(status), say("At last.")]) as model:
        assert summarizer(model)(REQUEST).text == "At last."
    assert len(model.log) == 3


@pytest.mark.parametrize(("status", "name"), [(429, "RateLimitError"), (500, "InternalServerError")])
def test_lasting_failures_are_one_line(status: int, name: str) -> None:
    text, requests = failure(fail(status, "no\nluck"), retries=1)
    assert requests == 2
    assert name in text
    assert "\n" not in text


def test_a_wrong_key_is_not_retried() -> None:
    text, requests = failure(fail(401, "Incorrect API key provided", "invalid_api_key"))
    assert requests == 1
    assert "AuthenticationError" in text


def test_silence_ends_with_the_timeout_and_is_not_retried() -> None:
    text, requests = failure(hang(), timeout=0.5)
    assert requests == 1
    assert "Timeout" in text


def test_nobody_there_is_an_error() -> None:
    with ScriptedModel([]) as model:
        pass
    with pytest.raises(SummarizerError, match=r"Connection|InternalServerError"):
        summarizer(model, retries=0)(REQUEST)


@pytest.mark.parametrize("text", ["", "  \n", "<think>Hm, let me see"])
def test_an_empty_answer_is_an_error(text: str) -> None:
    assert "an empty answer (finish reason: stop)" in failure(say(text))[0]


def test_thinking_before_the_answer_is_left_out() -> None:
    with ScriptedModel([], summaries=[say("<think>Hm.</think>\nAll fine.")]) as model:
        assert summarizer(model)(REQUEST).text == "All fine."


def test_a_too_long_answer_is_cut_to_the_limit() -> None:
    with ScriptedModel([], summaries=[too_long()]) as model:
        text = summarizer(model)(REQUEST).text
    assert 550 < estimate(text) < 600
    assert text.endswith("characters cut ...]")


def test_a_prompt_too_long_for_the_model_is_halved_once() -> None:
    with ScriptedModel([], summaries=[context_exceeded(), say("Shorter.")]) as model:
        assert summarizer(model, max_input_tokens=4_000)(REQUEST).text == "Shorter."
    first, second = (sum(estimate(message["content"]) for message in record.messages) for record in model.log)
    assert second <= 2_000 < first <= 4_000
    text, requests = failure(context_exceeded())
    assert requests == 2
    assert "ContextWindowExceeded" in text


def test_a_missing_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "litellm":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(SummarizerError, match=r"pip install 'context-strategies\[litellm\]'"):
        LiteLLM("m")(REQUEST)


def test_a_key_is_never_shown() -> None:
    assert "secret" not in repr(LiteLLM("m", api_key="secret"))
