"""A profile's figures on a run that can be reckoned by hand."""

from dataclasses import replace
from itertools import accumulate

import pytest

from context_strategies.compare.evaluate import Choice, Market, Result, evaluate
from context_strategies.compare.profile import advice_of, break_even, failures, profile_of
from context_strategies.compare.profile_show import paybacks
from context_strategies.compare.rows import Block, Row
from context_strategies.compare.run_rows import run_row
from context_strategies.growth import Shape
from context_strategies.replay import Weighed
from context_strategies.strategies import choose

OUTPUTS = (30, 90, 5, 60, 200, 10, 45, 80, 33, 70)
REQUESTS = list(accumulate((8 + output for output in OUTPUTS), initial=40))


def results_of(run: Weighed, *specs: str, cache: str = "none") -> list[Result]:
    choices = [Choice(spec, choose(spec)) for spec in ("raw", *specs)]
    return list(evaluate(run, choices, Market(cache=cache)))


def rows_of(results: list[Result]) -> list[Row]:
    block = Block()
    block.add([run_row(result) for result in results])
    return block.rows()


def test_sizes_and_what_is_read_again(synthetic_run: Weighed) -> None:
    profile = profile_of(results_of(synthetic_run), synthetic_run.sizes)
    assert [at.step for at in profile.steps] == [5, 10, 11]
    assert [at.context for at in profile.steps] == [REQUESTS[4], REQUESTS[9], REQUESTS[10]]
    assert [at.scratchpad for at in profile.steps] == [at.context - 40 for at in profile.steps]
    assert profile.last.reread == sum(REQUESTS[:-1])
    assert profile.peak == REQUESTS[-1]
    assert profile.calls == 11


def test_the_price_of_reading_again_goes_by_the_cache(synthetic_run: Weighed) -> None:
    for cache, price in (("none", 1e-6), ("prefix", 0.1e-6)):
        profile = profile_of(results_of(synthetic_run, cache=cache), synthetic_run.sizes)
        assert profile.last.reread_cost == pytest.approx(sum(REQUESTS[:-1]) * price)


def test_the_last_step_holds_the_runs_whole_cost(synthetic_run: Weighed) -> None:
    results = results_of(synthetic_run, cache="prefix")
    profile = profile_of(results, synthetic_run.sizes)
    assert profile.last.cost == pytest.approx(results[0].replay.cost)


def test_shares_by_kind_of_message(synthetic_run: Weighed) -> None:
    profile = profile_of(results_of(synthetic_run), synthetic_run.sizes)
    assert profile.parts == {"system": 40, "reasoning and actions": 80, "observations": sum(OUTPUTS)}
    assert sum(profile.read.values()) == sum(REQUESTS)
    assert profile.read["system"] == 40 * 11


@pytest.mark.parametrize("spec", ["masking:window=1,refresh=1", "truncation:keep_tokens=200", "rolling_summary"])
@pytest.mark.parametrize("cache", ["none", "prefix"])
def test_break_even_is_the_last_crossing(synthetic_run: Weighed, spec: str, cache: str) -> None:
    raw, one = results_of(synthetic_run, spec, cache=cache)
    step = break_even(one, raw)

    def spent(result: Result, calls: int) -> float:
        made = result.replay.calls[:calls]
        usages = [call.usage for call in made] + list(result.replay.summaries[: made[-1].summaries])
        return sum(result.prices.price(usage) for usage in usages)

    total = len(raw.replay.calls)
    assert spent(one, total) == pytest.approx(one.replay.cost)
    cheaper = [spent(one, calls) < spent(raw, calls) - 1e-12 for calls in range(1, total + 1)]
    assert step == next((call for call in range(1, total + 1) if all(cheaper[call - 1 :])), None)


def test_raw_never_pays(synthetic_run: Weighed) -> None:
    (raw,) = results_of(synthetic_run)
    assert break_even(raw, raw) is None


def test_payback_is_the_median_of_the_runs_where_there_is_one(synthetic_run: Weighed) -> None:
    results = results_of(synthetic_run, "masking:window=1")
    profile = profile_of(results, synthetic_run.sizes)
    (spec,) = profile.break_even
    runs = [replace(profile, break_even={spec: step}) for step in (9, None, 3, 4)]
    (one,) = paybacks(rows_of(results), runs)
    assert (one.break_even, one.runs) == (4, 3)


def test_advice_is_the_cheapest_that_shows_enough(synthetic_run: Weighed) -> None:
    specs = ("masking:window=1,refresh=1", "masking:window=8", "truncation:keep_tokens=10")
    advice = advice_of(rows_of(results_of(synthetic_run, *specs)))
    assert advice.strategy == "masking:window=1,refresh=1"
    marked = "{type: cache_control, last_n_messages: 2}"
    assert (
        advice.config["SWE-agent (agent.history_processors)"] == f"[{{type: masking, window: 1, refresh: 1}}, {marked}]"
    )
    assert advice.config["mini-swe-agent (model)"].endswith("context: {type: masking, window: 1, refresh: 1}}")


def test_advice_against_a_strategy_that_costs_more(synthetic_run: Weighed) -> None:
    advice = advice_of(rows_of(results_of(synthetic_run, "masking:window=5,refresh=1", cache="prefix")))
    assert advice.strategy == "raw"
    assert not advice.config


def test_failures_name_the_worst_run(synthetic_run: Weighed) -> None:
    profile = profile_of(results_of(synthetic_run), synthetic_run.sizes)
    assert profile.growth.shape is Shape.LINEAR
    runs = [profile, replace(profile, id="larger", peak=5_000)]
    assert list(failures(runs, Shape.ACCELERATING, None)) == []
    assert list(failures(runs, None, 1_000)) == ["larger: largest request of 5,000 tokens, over 1,000"]
    assert list(failures(runs, Shape.LINEAR, 600)) == [
        "synthetic: linear growth, 70 tokens a step (and 1 more run)",
        "larger: largest request of 5,000 tokens, over 600 (and 1 more run)",
    ]
