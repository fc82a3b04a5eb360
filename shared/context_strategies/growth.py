"""How a context grows with the steps of a run: a curve fitted, and named."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FLAT_SHARE = 0.1
"""A rise over the whole run of less than this share of the mean context is none."""

FEWEST = 6
"""Requests below which a bend can't be told from chance."""

CERTAIN = 2.0
"""Standard errors by which growth per step must rise from step to step; one huge output at the end makes 1.7."""

MARKED_RISE = 1.5
"""Fitted growth per step at the end, against that at the start, from which on a bend is worth a name."""

FOLD = 4.0
"""The same ratio, from which on a bend may be exponential."""

BETTER = 0.5
"""Share of the parabola's squared error that an exponential may leave, to be preferred to it."""

RATES = np.geomspace(0.005, 1.0, 80)
"""Exponents a step that are tried: doubling in 139 steps to doubling in less than one."""


class Shape(StrEnum):
    """How a context grows, from the mildest to the worst: each step adds nothing, as much as the one before, more by a
    steady amount, more by a steady factor. Growth that slows down counts as linear.
    """

    FLAT = "flat"
    LINEAR = "linear"
    ACCELERATING = "accelerating"
    EXPONENTIAL = "exponential"

    @property
    def rank(self) -> int:
        """0 for flat to 3 for exponential."""
        return list(Shape).index(self)


@dataclass(frozen=True, slots=True)
class Growth:
    """The shape of a curve; tokens a step it grows by, on average; ``fit``, the R² of the fitted curve (1: exact)."""

    shape: Shape
    per_step: float
    fit: float


def growth_of(sizes: Sequence[int]) -> Growth:
    """The growth of a run whose requests, step after step, have these sizes in tokens.

    A bend needs growth per step that rises by more than chance explains, so that one long output does not make one.
    """
    y = np.array(sizes, dtype=np.float64)
    if len(y) < 2:  # noqa: PLR2004 - two points make a line
        return Growth(Shape.FLAT, 0.0, 1.0)
    x = np.arange(len(y), dtype=np.float64)
    per_step = float(y[-1] - y[0]) / (len(y) - 1)
    line = _polynomial(x, y, 1)
    if float(line[-1] - line[0]) < FLAT_SHARE * float(y.mean()):
        return Growth(Shape.FLAT, per_step, _fit(y, line))
    rise = _rise(np.diff(y))
    if len(y) < FEWEST or rise < MARKED_RISE:
        return Growth(Shape.LINEAR, per_step, _fit(y, line))
    parabola = _polynomial(x, y, 2)
    steep = _exponential(x, y)
    if rise >= FOLD and _error(y, steep) < BETTER * _error(y, parabola):
        return Growth(Shape.EXPONENTIAL, per_step, _fit(y, steep))
    return Growth(Shape.ACCELERATING, per_step, _fit(y, parabola))


def _rise(steps: Floats) -> float:
    """Growth at the end against growth at the start, by a line through the growth of each step; 1 where chance explains
    the difference.
    """
    x = np.arange(len(steps), dtype=np.float64)
    if len(steps) < FEWEST - 1:
        return 1.0
    line = _polynomial(x, steps, 1)
    start, end = float(line[0]), float(line[-1])
    spread = np.sqrt(_error(steps, line) / (len(steps) - 2) / ((x - x.mean()) ** 2).sum())
    if end - start <= CERTAIN * float(spread) * float(x[-1]):
        return 1.0
    return end / start if start > 0 else float("inf")


def _polynomial(x: Floats, y: Floats, degree: int) -> Floats:
    return np.asarray(np.polyval(np.polyfit(x, y, degree), x), dtype=np.float64)


def _exponential(x: Floats, y: Floats) -> Floats:
    """The best ``a + b * exp(rate * x)`` over the rates tried."""
    fits = []
    for rate in RATES[RATES * x[-1] < 500]:  # noqa: PLR2004 - where a float ends
        curve = np.exp(rate * x)
        b, a = np.polyfit(curve, y, 1)
        fits.append(a + b * curve)
    return min(fits, key=lambda fit: _error(y, fit))


def _error(y: Floats, fitted: Floats) -> float:
    return float(((y - fitted) ** 2).sum())


def _fit(y: Floats, fitted: Floats) -> float:
    """R²; 1 for a constant that is met."""
    total = _error(y, np.full_like(y, y.mean()))
    return max(1 - _error(y, fitted) / total, 0.0) if total else 1.0
