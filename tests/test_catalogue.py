"""Prices by model, checked against litellm's own arithmetic."""

from itertools import groupby
from pathlib import Path

import pytest

from context_strategies.catalogue import bundled, known_models, prices_in_use, prices_of, read_prices, spellings
from context_strategies.errors import ConfigError
from context_strategies.prices import Usage

USAGES = [
    Usage(1_000, 0, 0, 100),
    Usage(50_000, 40_000, 0, 1_000),
    Usage(128_000, 90_000, 0, 1_000),
    Usage(130_000, 100_000, 10_000, 1_000),
    Usage(200_000, 150_000, 20_000, 500),
    Usage(200_001, 0, 0, 10),
    Usage(300_000, 200_000, 50_000, 10),
]

OTHERWISE = {
    "perplexity": "litellm prices it by its own rules, with search fees",
    "deepseek": "litellm reads the entry under another name than the one it lists",
    "deepseek-flash": "priced by the time of day",
    "tencent": "priced by the time of day",
    "gemini-exp-1206": "litellm takes it for free",
}
"""Providers and models that litellm does not price by their entry alone."""


def _comparable() -> list[tuple[str, str]]:
    """(provider, model) of every priced chat model."""
    return sorted(
        (entry["litellm_provider"], name)
        for name, entry in bundled().items()
        if entry.get("mode") in {"chat", "responses"} and name in set(known_models())
        if entry["litellm_provider"] not in OTHERWISE and name not in OTHERWISE
    )


def test_a_call_costs_what_litellm_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    litellm = pytest.importorskip("litellm", reason="litellm is not installed")
    utils = pytest.importorskip("litellm.types.utils")
    models = [pair for _, group in groupby(_comparable(), key=lambda pair: pair[0]) for pair in list(group)[:12]]
    assert len(models) >= 40
    assert len({provider for provider, _ in models}) >= 10
    assert any(len(prices_of(model).tiers) > 1 for _, model in models)
    wrong = []
    for provider, model in models:
        for usage in USAGES:
            details = utils.PromptTokensDetailsWrapper(cached_tokens=usage.cached, cache_creation_tokens=usage.written)
            theirs = litellm.cost_per_token(
                model=model,
                custom_llm_provider=provider,
                prompt_tokens=usage.prompt,
                completion_tokens=usage.output,
                cache_creation_input_tokens=usage.written,
                cache_read_input_tokens=usage.cached,
                usage_object=utils.Usage(
                    prompt_tokens=usage.prompt,
                    completion_tokens=usage.output,
                    total_tokens=usage.prompt + usage.output,
                    prompt_tokens_details=details,
                    cache_creation_input_tokens=usage.written,
                    cache_read_input_tokens=usage.cached,
                ),
            )
            ours = prices_of(model).price(usage)
            if abs(ours - sum(theirs)) > 1e-9:
                wrong.append((model, usage, ours, sum(theirs)))
    assert not wrong


def test_listed_tiers_price_the_whole_call() -> None:
    if not bundled():
        pytest.skip("litellm's price file is not installed")
    prices = prices_of("dashscope/qwen3-coder-plus")
    assert prices.price(Usage(32_000)) == pytest.approx(32_000 * 1e-6)
    assert prices.price(Usage(32_001)) == pytest.approx(32_001 * 1.8e-6)


def test_an_unknown_model_gets_the_named_assumption() -> None:
    prices = prices_of("no-such-model")
    assert prices.assumed
    assert "assumed" in prices.model


def test_routers_parts_before_a_name_do_not_hide_it() -> None:
    assert list(spellings("litellm_proxy/openai/gpt-5")) == ["litellm_proxy/openai/gpt-5", "openai/gpt-5", "gpt-5"]
    assert "anthropic.claude-x-1-v1:0" in spellings("anthropic/claude-x-1")


def test_own_prices_come_first(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(
        "gpt-5: {input_cost_per_token: 2.0e-6, output_cost_per_token: 1.0e-5, "
        "input_cost_per_token_above_200k_tokens: 4.0e-6}\n"
    )
    prices = prices_of("openai/gpt-5", read_prices(path))
    assert prices.price(Usage(100, output=10)) == pytest.approx(100 * 2e-6 + 10 * 1e-5)
    assert prices.rates(200_001).input == pytest.approx(4e-6)
    assert prices.rates(200_001).output == pytest.approx(1e-5)


def test_whole_numbers_may_be_written_as_powers(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text("m: {input_cost_per_token: 1e-6, output_cost_per_token: 5e-6, max_input_tokens: 2e5}")
    assert prices_of("m", read_prices(path)).limit == 200_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1, 2]", "must map model names to prices"),
        ("m: {output_cost_per_token: 1}", "m: needs input_cost_per_token"),
        ("m: {input_cost_per_token: 1, cache_price: 2}", "unknown key 'cache_price'; valid keys: input_cost_per_token"),
        ("m: {input_cost_per_token: cheap}", "input_cost_per_token must be a number of at least 0, not 'cheap'"),
        ("m: {input_cost_per_token: -1}", "must be a number of at least 0, not -1"),
        ("m: {input_cost_per_token: .inf}", "must be a number of at least 0, not inf"),
        ("m: {input_cost_per_token: .nan}", "must be a number of at least 0, not nan"),
        (f"m: {{input_cost_per_token: {10**400}}}", "must be a number of at least 0, not 1000"),
        ("m: {", "not valid YAML"),
    ],
)
def test_a_wrong_price_file_is_named_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"prices\.yaml") as error:
        read_prices(path)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_price_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no\.yaml: can't be read: No such file"):
        read_prices(tmp_path / "no.yaml")


def test_a_provider_may_stand_in_a_price_file(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text("m: {input_cost_per_token: 2, output_cost_per_token: 3, litellm_provider: 1}")
    assert prices_of("m", read_prices(path)).price(Usage(10, output=1)) == 23


def test_without_litellm_no_price_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("context_strategies.catalogue.find_spec", lambda _name: None)
    bundled.cache_clear()
    try:
        assert bundled() == {}
        assert prices_of("gpt-5").assumed
    finally:
        bundled.cache_clear()


def test_prices_in_use_are_those_that_litellm_has_been_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    own = {"input_cost_per_token": 2e-6, "output_cost_per_token": 4e-6, "max_input_tokens": 9_000}
    litellm = pytest.importorskip("litellm", reason="litellm is not installed")
    monkeypatch.setattr(litellm, "model_cost", {"mine": own, "broken": 7})
    assert prices_in_use("mine").rates(0).input == 2e-6
    assert [prices_in_use("mine").limit, prices_in_use("mine", 500).limit] == [9_000, 500]
    assert prices_in_use("broken").assumed
    assert "instead: the usual ratios" in caplog.text
