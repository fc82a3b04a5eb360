"""A comparison of measured runs as one plain value, which tables, files and pages are made of.

Shares are of 1, costs US dollars. Every interval is the percentile bootstrap's over instances, at
``Comparison.confidence``; None where there are fewer than two instances. What is None is not known.
"""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from context_strategies.compare.outcomes import Outcome

Tested = Literal["solved", "cost", "turns"]


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a mean lies, most likely."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Spread:
    """A quantity over the ``known`` instances of a label, each the mean of its runs; ``lower`` and ``upper`` are the
    quartiles, ``interval`` is the mean's.
    """

    known: int
    total: float
    mean: float
    median: float
    lower: float
    upper: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of ``of`` instances were ``solved`` (a fraction where an instance has several runs), ``known`` of them
    by a verdict: the others count as unsolved.
    """

    known: int
    of: int
    solved: float
    share: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Label:
    """The runs of one label by themselves.

    ``cached`` is the share of prompt tokens, ``summaries`` the share of cost, ``hidden`` the share of requests in which
    a strategy hid something; each over the runs that have both numbers. ``exits`` and ``models`` count runs.
    """

    label: str
    instances: int
    runs: int
    solved: Rate | None
    cost: Spread | None
    summary_cost: Spread | None
    turns: Spread | None
    prompt: Spread | None
    output: Spread | None
    cached: float | None
    summaries: float | None
    hidden: float | None
    exits: dict[str, int]
    models: dict[str, int]


@dataclass(frozen=True, slots=True)
class Difference:
    """One test: ``other`` less ``base`` in one quantity, on the ``matched`` instances where both have it known.

    ``base``, ``other`` and ``difference`` are means over these instances, ``interval`` is the difference's; ``ratio``
    and ``ratio_of_medians`` are of other to base. ``effect`` is, for solved, the odds ratio of the discordant pairs
    (1: none; each count plus a half, so that it is always finite), ``gained`` of them solved by other alone and
    ``lost`` by base alone; for cost and turns, and for solved where instances have several runs, the matched-pairs
    rank-biserial correlation (-1: other is lower in every pair, 1: higher). ``detectable`` is the difference that this
    many instances find in four of five repetitions, at p < .05 before correction.

    ``p`` is of ``method``; ``adjusted`` after Holm over every test of the comparison; ``significant``: that is below
    ``Comparison.alpha``.
    """

    quantity: Tested
    method: str
    matched: int
    base: float
    other: float
    difference: float
    interval: Interval | None
    base_median: float
    other_median: float
    ratio: float | None
    ratio_of_medians: float | None
    effect: float
    gained: int | None
    lost: int | None
    detectable: float | None
    p: float
    adjusted: float
    significant: bool


@dataclass(frozen=True, slots=True)
class Pair:
    """Two labels on the instances of both; ``only_base`` and ``only_other`` are those of one alone, left out here."""

    base: str
    other: str
    matched: int
    only_base: tuple[str, ...]
    only_other: tuple[str, ...]
    differences: tuple[Difference, ...]

    def of(self, quantity: Tested) -> Difference | None:
        """The test of ``quantity``, None where it is not known of both labels."""
        return next((one for one in self.differences if one.quantity == quantity), None)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that is told of measured runs.

    ``labels`` and ``outcomes`` are in the order given; ``pairs`` are each label against ``baseline``, or every pair.
    ``tests`` is how many tests Holm's correction is over. ``warnings`` and ``findings`` are sentences: what weakens the
    comparison, and what it found.
    """

    baseline: str
    labels: tuple[Label, ...]
    pairs: tuple[Pair, ...]
    outcomes: dict[str, tuple[Outcome, ...]]
    warnings: tuple[str, ...]
    findings: tuple[str, ...]
    tests: int
    alpha: float
    confidence: float
    resamples: int
    seed: int

    def label(self, name: str) -> Label:
        """The label called ``name``; ``StopIteration`` where there is none."""
        return next(one for one in self.labels if one.label == name)


def as_json(comparison: Comparison) -> dict[str, Any]:
    """The whole value for ``json.dumps``, under the names of its fields."""
    return asdict(comparison)
