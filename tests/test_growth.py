"""The shape of a growing context, by curves whose shape is known and by chance alone."""

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_strategies.growth import Shape, growth_of


def context(outputs: list[int], base: int = 2_000) -> list[int]:
    """Requests of a run with these outputs."""
    return list(accumulate(outputs, initial=base))


@pytest.mark.parametrize(
    ("sizes", "shape"),
    [
        ([2_000] * 20, Shape.FLAT),
        (context([5] * 20), Shape.FLAT),
        (context([720] * 40), Shape.LINEAR),
        (context([900 - 20 * step for step in range(40)]), Shape.LINEAR),
        (context([200 + 100 * step for step in range(13)]), Shape.ACCELERATING),
        (context([int(100 * 1.1**step) for step in range(30)]), Shape.EXPONENTIAL),
        (context([10 * 2**step for step in range(12)]), Shape.EXPONENTIAL),
        (context([100] * 19 + [30_000]), Shape.LINEAR),
        (context([100, 200, 400]), Shape.LINEAR),
    ],
)
def test_a_known_curve_has_its_name(sizes: list[int], shape: Shape) -> None:
    growth = growth_of(sizes)
    assert growth.shape is shape
    assert growth.per_step == pytest.approx((sizes[-1] - sizes[0]) / (len(sizes) - 1))


@pytest.mark.parametrize("sizes", [context([720] * 40), context([200 + 100 * step for step in range(13)])])
def test_an_exact_curve_fits_exactly(sizes: list[int]) -> None:
    assert growth_of(sizes).fit == pytest.approx(1.0)


def test_outputs_of_random_size_rarely_seem_to_bend() -> None:
    rng = np.random.default_rng(7)
    runs = [context([int(size) for size in 500 * rng.lognormal(0, 1, 40)]) for _ in range(300)]
    bent = [growth for growth in map(growth_of, runs) if growth.shape.rank > Shape.LINEAR.rank]
    assert len(bent) <= 15


@given(st.lists(st.integers(0, 10**7), max_size=60))
def test_any_sizes_have_a_shape_and_a_fit(sizes: list[int]) -> None:
    growth = growth_of(sizes)
    assert growth.shape in Shape
    assert 0 <= growth.fit <= 1


def test_shapes_are_ranked_from_the_mildest() -> None:
    assert [shape.rank for shape in Shape] == [0, 1, 2, 3]
