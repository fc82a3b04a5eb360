"""Intervals, tests and effect sizes of paired runs. No formula here assumes a distribution: costs and turns have long
tails, and their means live in them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import stats

from context_strategies.compare.comparison import Interval

Array = npt.NDArray[np.float64]

EXACT = 13
"""Differences up to which all sign flips are tried: 8,192 of them, fewer than the default resamples."""
BLOCK = 1_000
"""Resamples drawn at a time, which bounds the memory."""
POWER = 2.8
"""Standard errors of a difference that 80 % of repetitions find at p < .05: the normal quantiles of .975 and .8, 1.96
and 0.84, added.
"""


@dataclass(frozen=True, slots=True)
class Resampling:
    """How often, from which ``seed``, and how much of the resampled means an interval holds.

    The defaults, and a seed one higher for what is no solve rate (``next``), are those of "The Complexity Trap" (arXiv
    2508.21433): on the same instances, its published intervals come out to the digit.
    """

    resamples: int = 10_000
    seed: int = 0
    confidence: float = 0.95

    @property
    def next(self) -> "Resampling":
        """The same from the next seed."""
        return replace(self, seed=self.seed + 1)

    def rng(self) -> np.random.Generator:
        """A generator at its start: a figure does not depend on which others are asked for."""
        return np.random.default_rng(self.seed)


def mean_interval(values: Sequence[float], how: Resampling) -> Interval | None:
    """The percentile bootstrap's interval of the mean of ``values``; None for fewer than two."""
    if len(values) < 2:  # noqa: PLR2004 - one value says nothing of spread
        return None
    found = stats.bootstrap(
        (np.asarray(values, float),),
        np.mean,
        n_resamples=how.resamples,
        confidence_level=how.confidence,
        method="percentile",
        batch=BLOCK,
        rng=how.rng(),
    ).confidence_interval
    return Interval(*sorted((float(found.low), float(found.high))))  # equal values come out a rounding apart


def mcnemar(gained: int, lost: int) -> float:
    """McNemar's exact p, two-sided: of the pairs that differ, whether one direction has more than chance gives it."""
    return float(stats.binomtest(gained, gained + lost).pvalue) if gained + lost else 1.0


def sign_flips(differences: Sequence[float], how: Resampling) -> float:
    """The two-sided p of the mean of paired ``differences``, if either of a pair might as well have been the other.

    Exact for few differences, else (k+1)/(n+1) for k of n random flips that are as far from zero: never 0 (Phipson and
    Smyth 2010).
    """
    given = np.asarray(differences, float)
    given = given[given != 0]
    if not len(given):
        return 1.0
    seen = abs(given.sum()) - 1e-12 * np.abs(given).sum()  # equal sums differ in the last bits, by their order
    if len(given) <= EXACT:
        numbers = np.arange(2 ** len(given))[:, None]
        return float(_as_far(numbers >> np.arange(len(given)) & 1, given, seen) / len(numbers))
    rng = how.rng()
    blocks = [min(BLOCK, how.resamples - start) for start in range(0, how.resamples, BLOCK)]
    hits = sum(_as_far(rng.integers(0, 2, (size, len(given)), np.int8), given, seen) for size in blocks)
    return (hits + 1) / (how.resamples + 1)


def _as_far(bits: npt.NDArray[np.integer], given: Array, seen: float) -> int:
    """How many rows of signs, 0 for minus, bring the sum of ``given`` as far from zero as ``seen``."""
    return int(np.count_nonzero(np.abs(2 * (bits @ given) - given.sum()) >= seen))


def holm(ps: Sequence[float]) -> list[float]:
    """``ps`` after Holm's step-down correction, in their order: the chance of any false finding stays below alpha."""
    order = sorted(range(len(ps)), key=lambda index: ps[index])
    adjusted, least = [0.0] * len(ps), 0.0
    for rank, index in enumerate(order):
        least = max(least, min(1.0, (len(ps) - rank) * ps[index]))
        adjusted[index] = least
    return adjusted


def odds_ratio(gained: int, lost: int) -> float:
    """Of the discordant pairs, each count plus a half (Haldane's correction)."""
    return (gained + 0.5) / (lost + 0.5)


def rank_biserial(differences: Sequence[float]) -> float:
    """The matched-pairs rank-biserial correlation (Kerby 2014): ranks of positive less ranks of negative differences,
    by their sum, zeros left out; 0 where nothing differs.
    """
    given = np.asarray(differences, float)
    given = given[given != 0]
    ranks = stats.rankdata(np.abs(given))
    return float((ranks * np.sign(given)).sum() / ranks.sum()) if len(given) else 0.0


def detectable(differences: Sequence[float]) -> float | None:
    """The true mean difference that as many pairs with this spread find in 80 % of repetitions, at p < .05 before any
    correction.
    """
    if len(differences) < 2:  # noqa: PLR2004 - one value says nothing of spread
        return None
    return float(POWER * np.std(differences, ddof=1) / np.sqrt(len(differences))) or None


def ratio(other: float, base: float) -> float | None:
    """``other`` to ``base``, None where there is nothing to divide by."""
    return other / base if base else None
