"""An estimate is a replay: its figures against closed forms, and against published ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_strategies.compare.closed_forms import Sizes, masked_tokens, raw_tokens, truncated_tokens
from context_strategies.compare.estimate import Estimate, estimated, outputs_of, run_of
from context_strategies.compare.evaluate import Choice, Market
from context_strategies.errors import ConfigError
from context_strategies.history import Kind
from context_strategies.strategies import choose

SPECS = ("masking:refresh=1", "masking:window=3,refresh=1,keep_lines=2", "truncation:keep_tokens=900", "truncation")


def estimates(sizes: Sizes, *specs: str, market: Market | None = None, summary: int = 450) -> dict[str, Estimate]:
    choices = [Choice(spec, choose(spec)) for spec in ("raw", *specs)]
    _, found = estimated(sizes, choices, market or Market(cache="none"), summary)
    return {one.strategy: one for one in found}


@given(st.integers(0, 5_000), st.integers(0, 400), st.lists(st.integers(0, 2_000), min_size=1, max_size=40))
def test_replays_agree_with_closed_forms(base: int, action: int, outputs: list[int]) -> None:
    for one in estimates(Sizes(base, action, tuple(outputs)), *SPECS).values():
        assert one.prompt == one.closed, one.strategy


@given(st.integers(1, 80), st.integers(0, 3_000), st.integers(0, 300), st.integers(0, 900), st.integers(0, 20))
def test_constant_outputs_have_the_textbook_forms(n: int, base: int, a: int, o: int, m: int) -> None:
    sizes, p, m = Sizes(base, a, (o,) * n), 30, min(m, n)
    shown = min(p, o)
    assert raw_tokens(sizes) == n * base + (a + o) * n * (n - 1) // 2
    rest = shown * (n - m) * max(n - m - 1, 0) // 2
    expected = n * base + a * n * (n - 1) // 2 + o * (m * n - m * (m + 1) // 2) + rest
    assert masked_tokens(sizes, m, [p] * n) == expected
    b = max(min(m, n - 1), min(1, n - 1))
    assert truncated_tokens(sizes, b * (a + o)) == n * base + (a + o) * (b * n - b * (b + 1) // 2) or a + o == 0


def test_messages_have_exactly_their_sizes() -> None:
    sizes = Sizes(2_500, 145, tuple(range(1_000)))
    history = run_of(sizes).history
    assert history[0].tokens == 2_500
    assert {m.tokens for m in history.messages if m.kind is Kind.ACTION} == {145}
    assert [m.tokens for m in history.messages if m.kind is Kind.OBSERVATION] == list(range(999))


@pytest.mark.parametrize(
    ("spec", "at_52", "at_110"),
    [
        ("masking:refresh=1", 0.57, 0.40),
        ("masking:refresh=10", 0.66, 0.46),
        ("llm_summary", 0.74, 0.41),
        ("hybrid:refresh=1", 0.57, 0.32),
    ],
)
def test_ratios_worked_out_independently(spec: str, at_52: float, at_110: float) -> None:
    for steps, expected in ((52, at_52), (110, at_110)):
        found = estimates(Sizes(2_500, 145, (575,) * steps), spec)
        assert found[spec].cost_against_raw == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(("read", "expected"), [(1.0, 12), (0.4, 45), (0.25, 80)])
def test_break_even_steps_worked_out_independently(read: float, expected: int) -> None:
    own = {
        "mine": {
            "input_cost_per_token": 1e-6,
            "output_cost_per_token": 5e-6,
            "cache_read_input_token_cost": read * 1e-6,
        }
    }
    found = estimates(Sizes(2_500, 145, (575,) * 110), "masking:refresh=1", market=Market("mine", "prefix", own))
    step = found["masking:refresh=1"].break_even
    assert step is not None
    assert abs(step - expected) <= max(2, expected // 20)


def test_a_ramp_reads_what_its_sum_says() -> None:
    sizes = Sizes(2_100, 0, outputs_of("200..1500", 14))
    assert estimates(sizes)["raw"].prompt == 54_600 + 14 * 2_100


def test_summaries_are_paid_for() -> None:
    sizes = Sizes(2_500, 145, (575,) * 60)
    short, long = (estimates(sizes, "rolling_summary", summary=size)["rolling_summary"] for size in (100, 800))
    assert short.cost < long.cost
    assert short.closed is None


def test_no_form_where_a_limit_tightens() -> None:
    own = {"small": {"input_cost_per_token": 1e-6, "output_cost_per_token": 5e-6, "max_input_tokens": 20_000}}
    found = estimates(
        Sizes(2_500, 145, (575,) * 60), "masking:window=50,refresh=1", market=Market("small", "none", own)
    )
    assert found["masking:window=50,refresh=1"].closed is None
    assert found["masking:window=50,refresh=1"].peak <= 15_000
    assert found["raw"].closed == found["raw"].prompt


@pytest.mark.parametrize(
    ("spec", "outputs"),
    [("575", (575,) * 5), ("100..300", (100, 150, 200, 250, 300)), ("300..100", (300, 250, 200, 150, 100)),
     ("1,2,3", (1, 2, 3, 1, 2)), ("7,8,9,10,11,12", (7, 8, 9, 10, 11))],
)  # fmt: skip
def test_outputs(spec: str, outputs: tuple[int, ...]) -> None:
    assert outputs_of(spec, 5) == outputs


@pytest.mark.parametrize("spec", ["", "many", "1..", "..2", "1,,2", "-5", "5..-5", "1.5", "9" * 5_000])
def test_what_is_no_size(spec: str) -> None:
    with pytest.raises(ConfigError, match="--output"):
        outputs_of(spec, 5)


def test_a_run_too_large_to_make_up() -> None:
    with pytest.raises(ConfigError, match="at most 2,000"):
        outputs_of("1", 10**12)
    with pytest.raises(ConfigError, match="at most 5,000,000"):
        outputs_of("1000000", 20)
