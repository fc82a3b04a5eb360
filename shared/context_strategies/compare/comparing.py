"""From runs to a comparison: each label by itself, and pairs of labels on the instances of both."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from context_strategies.compare import statistics, wording
from context_strategies.compare.comparison import Comparison, Difference, Label, Pair, Rate, Spread, Tested
from context_strategies.compare.outcomes import Arm, Quantity, matched, values
from context_strategies.compare.statistics import Resampling
from context_strategies.errors import ConfigError

ALPHA = 0.05
TESTED: tuple[Tested, ...] = ("solved", "cost", "turns")


@dataclass(frozen=True, slots=True)
class Design:
    """What is compared with what: every label with ``baseline`` (empty: the first), or ``all_pairs``; solve rates
    ``of`` so many instances, those without a run or verdict unsolved (0: of those with a verdict).
    """

    baseline: str = ""
    all_pairs: bool = False
    of: int = 0
    how: Resampling = field(default_factory=Resampling)


def compare(arms: Sequence[Arm], design: Design | None = None) -> Comparison:
    """``arms``, whose labels differ, as a comparison; ``ConfigError`` where they are not as ``design`` says."""
    design = design or Design()
    _check(arms, design)
    baseline = design.baseline or arms[0].label
    pairs = _corrected([_pair(base, other, design.how) for base, other in _chosen(arms, baseline, design)])
    tasks = _tasks(arms)
    labels = tuple(_label(one, tasks, design) for one in arms)
    return Comparison(
        baseline=baseline,
        labels=labels,
        pairs=pairs,
        outcomes={one.label: one.outcomes for one in arms},
        warnings=tuple(wording.warnings(arms, labels, pairs)),
        findings=tuple(wording.findings(pairs)),
        tests=sum(len(pair.differences) for pair in pairs),
        alpha=ALPHA,
        confidence=design.how.confidence,
        resamples=design.how.resamples,
        seed=design.how.seed,
    )


def _check(arms: Sequence[Arm], design: Design) -> None:
    labels = [one.label for one in arms]
    if not arms:
        raise ConfigError("nothing to compare: no run was found")
    if design.baseline and design.baseline not in labels:
        raise ConfigError(f"--baseline {design.baseline}: choose one of: {', '.join(labels)}")
    tasks = len(_tasks(arms))
    if 0 < design.of < tasks:
        raise ConfigError(f"--of {design.of}: there are runs of {tasks} instances")


def _tasks(arms: Sequence[Arm]) -> list[str]:
    """Every instance of which there is a run."""
    return sorted({instance for one in arms for instance in one.instances})


def _chosen(arms: Sequence[Arm], baseline: str, design: Design) -> list[tuple[Arm, Arm]]:
    """Pairs of a base and another, the baseline's first."""
    first = next(one for one in arms if one.label == baseline)
    others = [one for one in arms if one is not first]
    return list(combinations([first, *others], 2)) if design.all_pairs else [(first, other) for other in others]


def _label(one: Arm, tasks: Sequence[str], design: Design) -> Label:
    def spread(quantity: Quantity) -> Spread | None:
        return _spread(values(one, quantity), design.how.next)

    return Label(
        label=one.label,
        instances=len(one.instances),
        runs=len(one.outcomes),
        solved=_rate(values(one, "solved"), tasks, design),
        cost=spread("cost"),
        summary_cost=spread("summary_cost"),
        turns=spread("turns"),
        prompt=spread("prompt"),
        output=spread("output"),
        cached=_share(one, "cached", "prompt"),
        summaries=_share(one, "summary_cost", "cost"),
        hidden=_share(one, "hidden", "contexts"),
        exits=dict(Counter(run.exit_status or "not recorded" for run in one.outcomes).most_common()),
        models=dict(Counter(run.model or "not recorded" for run in one.outcomes).most_common()),
    )


def _spread(found: Mapping[str, float], how: Resampling) -> Spread | None:
    if not found:
        return None
    each = [found[instance] for instance in sorted(found)]
    lower, median, upper = (float(value) for value in np.percentile(each, (25, 50, 75)))
    return Spread(len(each), sum(each), float(np.mean(each)), median, lower, upper, statistics.mean_interval(each, how))


def _rate(found: Mapping[str, float], tasks: Sequence[str], design: Design) -> Rate | None:
    if not found:
        return None
    each = [found[instance] for instance in sorted(found)]
    if design.of:
        each = [found.get(instance, 0.0) for instance in tasks] + [0.0] * (design.of - len(tasks))
    interval = statistics.mean_interval(each, design.how)
    return Rate(len(found), len(each), sum(each), float(np.mean(each)), interval)


def _share(one: Arm, part: Quantity, whole: Quantity) -> float | None:
    """The one of the other, over the runs that have both."""
    both = [
        (getattr(run, part), getattr(run, whole))
        for run in one.outcomes
        if getattr(run, part) is not None and getattr(run, whole) is not None
    ]
    total = sum(whole for _, whole in both)
    return sum(part for part, _ in both) / total if total else None


def _pair(base: Arm, other: Arm, how: Resampling) -> Pair:
    left, right = set(base.instances), set(other.instances)
    differences = (
        _difference(
            quantity, values(base, quantity), values(other, quantity), how if quantity == "solved" else how.next
        )
        for quantity in TESTED
    )
    return Pair(
        base=base.label,
        other=other.label,
        matched=len(left & right),
        only_base=tuple(sorted(left - right)),
        only_other=tuple(sorted(right - left)),
        differences=tuple(one for one in differences if one),
    )


def _difference(
    quantity: Tested, base: Mapping[str, float], other: Mapping[str, float], how: Resampling
) -> Difference | None:
    both = matched(base, other)
    if not both:
        return None
    ours, theirs = [other[instance] for instance in both], [base[instance] for instance in both]
    each = [our - their for our, their in zip(ours, theirs, strict=True)]
    binary = quantity == "solved" and not {*ours, *theirs} - {0.0, 1.0}
    gained, lost = each.count(1.0), each.count(-1.0)
    p = statistics.mcnemar(gained, lost) if binary else statistics.sign_flips(each, how)
    middle, base_middle = float(np.median(ours)), float(np.median(theirs))
    return Difference(
        quantity=quantity,
        method="McNemar, exact" if binary else "sign flips",
        matched=len(both),
        base=float(np.mean(theirs)),
        other=float(np.mean(ours)),
        difference=float(np.mean(each)),
        interval=statistics.mean_interval(each, how),
        base_median=base_middle,
        other_median=middle,
        ratio=statistics.ratio(float(np.mean(ours)), float(np.mean(theirs))),
        ratio_of_medians=statistics.ratio(middle, base_middle),
        effect=statistics.odds_ratio(gained, lost) if binary else statistics.rank_biserial(each),
        gained=gained if binary else None,
        lost=lost if binary else None,
        detectable=statistics.detectable(each),
        p=p,
        adjusted=p,
        significant=False,
    )


def _corrected(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """``pairs`` with p-values corrected over every test in them."""
    adjusted = iter(statistics.holm([one.p for pair in pairs for one in pair.differences]))
    return tuple(
        replace(
            pair,
            differences=tuple(
                replace(one, adjusted=(value := next(adjusted)), significant=value < ALPHA) for one in pair.differences
            ),
        )
        for pair in pairs
    )
