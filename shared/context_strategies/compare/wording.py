"""What a comparison found and what weakens it, in sentences: for people who read no p-values."""

from collections.abc import Iterator, Sequence

from context_strategies.compare.comparison import Difference, Interval, Label, Pair
from context_strategies.compare.outcomes import Arm
from context_strategies.fields import count

FEW = 100
"""Instances below which a solve rate near a half is known to no better than ten points either way."""
NAMED = 3
"""Instances and models that a sentence names before it counts the rest."""

OFTEN = "in four of five repetitions (before correction), smaller ones less often"

SOLVED, DEARER, LONGER = ("fewer", "more"), ("cheaper", "dearer"), ("shorter", "longer")
WORDS = {"solved": SOLVED, "cost": DEARER, "turns": LONGER}


def findings(pairs: Sequence[Pair]) -> Iterator[str]:
    """One sentence for each test: the figures, what they come to, and whether chance would do."""
    for pair in pairs:
        for one in pair.differences:
            ps = f"p {probability(one.p)}, {probability(one.adjusted)} after Holm"
            yield f"{pair.other} against {pair.base}, {figures(one)}: {judgement(one)} ({ps})."


def figures(one: Difference) -> str:
    """The two means, and the difference with its interval, each in the quantity's unit."""
    if one.quantity == "solved":
        between = _between(one.interval, 100, "{:+.1f}")
        return f"solved {one.other:.1%} and {one.base:.1%}, {100 * one.difference:+.1f} points{between}"
    if one.quantity == "cost":
        between = _between(one.interval, 1, "{:+.3f}")
        dollars = f"${one.other:.3f} and ${one.base:.3f} a run, {one.difference:+.3f}{between}"
        return f"{dollars}, {_percent(one.ratio)}"
    between = _between(one.interval, 1, "{:+.1f}")
    medians = f"medians {one.other_median:g} and {one.base_median:g}, {_percent(one.ratio_of_medians)}"
    turns = f"{one.other:.1f} and {one.base:.1f} turns, {one.difference:+.1f}{between}"
    return f"{turns}, {_percent(one.ratio)}, {medians}"


def judgement(one: Difference) -> str:
    """What a difference amounts to, if chance would not do after correction."""
    less, more = WORDS[one.quantity]
    return (more if one.difference > 0 else less) if one.significant else "not significant"


def probability(p: float) -> str:
    """``p`` in two digits, never as 0."""
    return f"{p:.2g}" if p >= 0.001 else "< 0.001"  # noqa: PLR2004 - three decimals


def _between(interval: Interval | None, scale: float, form: str) -> str:
    if interval is None:
        return ""
    return f" [{form.format(scale * interval.low)}, {form.format(scale * interval.high)}]"


def _percent(ratio: float | None) -> str:
    return "no ratio" if ratio is None else f"{ratio - 1:+.0%}"


def warnings(arms: Sequence[Arm], labels: Sequence[Label], pairs: Sequence[Pair]) -> Iterator[str]:
    """What a reader must know before believing any figure."""
    for label in labels:
        yield from _unknown(label)
    for pair in pairs:
        yield from _unmatched(pair)
    yield from _missed(pairs)
    if not any(one.repeated for one in arms):
        yield (
            "Every instance was run once: an interval holds how instances differ, not how a run of the same instance "
            "would differ next time."
        )
    models = {label.label: [name for name in label.models if name != "not recorded"] for label in labels}
    if len({tuple(sorted(names)) for names in models.values() if names}) > 1:
        told = "; ".join(f"{label}: {_named(names)}" for label, names in models.items() if names)
        yield f"Models, and so prices, differ ({told}): a difference may be the model's."


def _unknown(label: Label) -> Iterator[str]:
    runs = count(label.runs, "run")
    if label.solved is None:
        yield f"{label.label}: no verdicts on its {runs}: nothing is known of what it solved."
    elif label.solved.known < label.instances:
        missing = label.instances - label.solved.known
        yield f"{label.label}: no verdict for {missing} of {count(label.instances, 'instance')}."
    for name, spread in (("cost", label.cost), ("number of turns", label.turns)):
        known = spread.known if spread else 0
        if known < label.instances:
            missing = label.instances - known
            yield f"{label.label}: {name} unknown for {missing} of {count(label.instances, 'instance')}."


def _unmatched(pair: Pair) -> Iterator[str]:
    if not pair.matched:
        apart = f"{_named(pair.only_base[:1])} of {pair.base} and {_named(pair.only_other[:1])} of {pair.other}"
        yield f"{pair.other} and {pair.base} share no instance, by their ids (as {apart}): nothing is compared."
        return
    sides = [
        f"{len(only):,} only in {label} ({_named(only)})"
        for label, only in ((pair.base, pair.only_base), (pair.other, pair.only_other))
        if only
    ]
    if sides:
        shared = count(pair.matched, "instance")
        yield f"{pair.other} and {pair.base} share {shared}, and only these are compared; {', '.join(sides)}."


def _missed(pairs: Sequence[Pair]) -> Iterator[str]:
    """For each pair that has few instances or left something open: what it finds how often."""
    for pair in pairs:
        found = [_detectable(one) for one in pair.differences if one.detectable and not one.significant]
        few = "only " if pair.matched < FEW else ""
        if pair.differences and (few or found):
            power = f" find a difference of {' or '.join(found)} {OFTEN}" if found else ""
            yield f"{pair.other} against {pair.base}: {few}{count(pair.matched, 'instance')}{power}."


def _detectable(one: Difference) -> str:
    size = one.detectable or 0.0
    if one.quantity == "solved":
        return f"{100 * size:.1f} points solved"
    return f"${size:.2g} a run" if one.quantity == "cost" else f"{size:.1f} turns"


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
