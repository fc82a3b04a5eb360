"""The bars that break-even must clear on recorded runs, and the optimum it is measured against."""

from pathlib import Path

import numpy as np
import pytest

from context_strategies.cache import Automatic
from context_strategies.compare.schedules import COLUMNS, cells
from context_strategies.optimum import optimum
from context_strategies.prices import Prices, Rates, relative
from context_strategies.replay import Weighed, replay, weigh
from context_strategies.strategies import choose
from context_strategies.terms import terms_for
from context_strategies.tokens import best_counter
from context_strategies.trajectories import Refusal, read


@pytest.fixture(scope="module")
def long_runs(recordings: Path) -> list[Weighed]:
    found = (run for run in read([recordings]) if not isinstance(run, Refusal))
    counter = best_counter()
    return [weigh(run, counter) for run in found if run.history.turns >= 15]


def test_break_even_is_near_the_best_and_never_dearer(long_runs: list[Weighed]) -> None:
    table = cells(long_runs, ["break_even"])
    even = [cell for cell in table if cell.schedule == "break_even"]
    assert len(even) == len(COLUMNS)
    assert len(long_runs) >= 20
    for cell in even:
        assert cell.of_best <= 1.05, cell
        assert cell.worst <= 1.06, cell


def test_no_schedule_beats_the_optimum(long_runs: list[Weighed]) -> None:
    prices = relative()
    for run in long_runs[:8]:
        best = optimum(run, prices)
        for refresh in ("1", "5", "10", "break_even", "1000"):
            strategy = choose(f"masking:refresh={refresh}")
            cost = replay(run, strategy, terms_for(strategy, prices), lambda: Automatic(prices)).cost
            assert cost >= best * (1 - 1e-9)


def test_without_a_discount_break_even_shows_what_every_turn_shows(long_runs: list[Weighed]) -> None:
    prices = relative().uncached()
    for run in long_runs:
        even, every = (
            replay(run, choose(spec), terms_for(choose(spec), prices), lambda: Automatic(prices))
            for spec in ("masking", "masking:refresh=1")
        )
        assert even.calls == every.calls


@pytest.mark.parametrize("prices", [relative(), relative(0.4, 1.0)])
def test_the_optimum_is_the_best_of_all_schedules(prices: Prices, synthetic_run: Weighed) -> None:
    """On a run short enough to try every schedule."""
    assert optimum(synthetic_run, prices, window=1) == pytest.approx(_brute_force(synthetic_run, prices, window=1))


def test_the_optimum_knows_tiers(synthetic_run: Weighed) -> None:
    cheap, dear = Rates(1, 5, 0.1, 1.25), Rates(2, 10, 0.2, 2.5)
    prices = Prices("tiers", ((0, cheap), (300, dear)))
    assert optimum(synthetic_run, prices, window=1) == pytest.approx(_brute_force(synthetic_run, prices, window=1))


def _brute_force(run: Weighed, prices: Prices, window: int) -> float:
    """The least cost over every monotone schedule, by rendering each request's sizes anew."""
    history = run.trajectory.history
    from context_strategies.masks import masks_of
    from context_strategies.placeholder import Placeholder

    masks = masks_of(history, Placeholder())
    placeholder = [run.counter.count([masks.text(i) or ""])[0] for i in range(len(history))]

    def shown(boundary: int, upto: int) -> list[tuple[int, bool]]:
        end = history.end_of(boundary) if boundary else 0
        return [
            (placeholder[i], True) if i < end and masks.text(i) is not None else (run.sizes[i], False)
            for i in range(upto)
        ]

    def cost(before: list[tuple[int, bool]], now: list[tuple[int, bool]]) -> float:
        shared = next(
            (i for i, (x, y) in enumerate(zip(before, now, strict=False)) if x != y), min(len(before), len(now))
        )
        prompt, cached = sum(size for size, _ in now), sum(size for size, _ in now[:shared])
        return prices.request(prompt, cached)

    best: dict[int, tuple[float, list[tuple[int, bool]]]] = {0: (0.0, [])}
    for call in run.trajectory.calls:
        turns = history.turn_of(call.upto - 1) if call.upto else 0
        reach = max(turns - window, 0)
        following: dict[int, tuple[float, list[tuple[int, bool]]]] = {}
        for boundary in range(reach + 1):
            now = shown(boundary, call.upto)
            options = [total + cost(before, now) for old, (total, before) in best.items() if old <= boundary]
            rates = prices.rates(sum(size for size, _ in now))
            output = call.usage.output if call.usage else 0
            following[boundary] = (min(options) + rates.output * output, now)
        best = following
    return min(total for total, _ in best.values())


def test_rates_are_arrays_of_the_same_prices() -> None:
    from context_strategies.optimum import _cost

    prices = relative()
    prompts, cached = np.array([100.0, 2_000.0]), np.array([50.0, 10.0])
    assert list(_cost(prices, prompts, cached)) == pytest.approx([prices.request(100, 50), prices.request(2_000, 10)])
