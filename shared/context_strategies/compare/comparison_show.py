"""A comparison as tables for people."""

from collections.abc import Callable, Mapping, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from context_strategies.compare.comparison import Comparison, Difference, Interval, Label, Pair, Spread
from context_strategies.compare.show import dollars, plain_table, short
from context_strategies.compare.wording import judgement, probability

UNKNOWN = "-"
NAMED = 4
"""Ways to end that a table names before it counts the rest."""

LEGEND = (
    "In brackets: the interval of the mean, by bootstrap over instances. $: per run, summaries included; summaries: "
    "their share of it. hidden: share of requests in which something was. means: of each, in the order of the title; "
    "ratios: of these means, and of medians. effect: odds ratio of the pairs that differ, and their numbers (solved); "
    "rank-biserial correlation (others). p: McNemar's exact test (solved), sign flips (others); Holm: corrected over "
    "every test here."
)

Form = Callable[[float], str]


def print_comparison(console: Console, comparison: Comparison) -> None:
    """What each label came to, the tests, and what weakens them."""
    console.print(_labels(comparison.labels))
    console.print(_runs(comparison.labels))
    for pair in comparison.pairs:
        if pair.differences:
            console.print(_tests(pair))
    for sentence in comparison.warnings:
        console.print(f"! {sentence}", markup=False, highlight=False)
    console.print(legend(comparison), style="dim", highlight=False)


def legend(comparison: Comparison) -> str:
    """What the figures are, and how they were resampled."""
    drawn = f"{comparison.tests} tests, {comparison.resamples:,} resamples, seed {comparison.seed}"
    return f"{LEGEND} {comparison.confidence:.0%} intervals, alpha {comparison.alpha}, {drawn}."


def _labels(labels: Sequence[Label]) -> Table:
    table = plain_table(
        "Each label by itself", "label", "n", "solved", "$ a run", "median", "in all", "turns", "median"
    )
    for one in labels:
        table.add_row(
            escape(one.label),
            f"{one.instances:,}" + (f"\n{one.runs:,} runs" if one.runs > one.instances else ""),
            _solved(one),
            _mean(one.cost, one.instances, dollars),
            dollars(one.cost.median) if one.cost else UNKNOWN,
            dollars(one.cost.total) if one.cost else UNKNOWN,
            _mean(one.turns, one.instances, "{:.1f}".format),
            f"{one.turns.median:g}" if one.turns else UNKNOWN,
        )
    return table


def _solved(one: Label) -> str:
    if one.solved is None:
        return UNKNOWN
    return "\n".join(
        [
            f"{one.solved.solved:g} of {one.solved.of}, {one.solved.share:.1%}",
            *_brackets(one.solved.interval, lambda share: f"{100 * share:.1f}"),
            *([f"{one.solved.known} known"] if one.solved.known < one.instances else []),
        ]
    )


def _mean(spread: Spread | None, instances: int, form: Form) -> str:
    if spread is None:
        return UNKNOWN
    known = [f"{spread.known} known"] if spread.known < instances else []
    return "\n".join([form(spread.mean), *_brackets(spread.interval, form), *known])


def _brackets(interval: Interval | None, form: Form) -> list[str]:
    return [escape(f"[{form(interval.low)}, {form(interval.high)}]")] if interval else []


def _runs(labels: Sequence[Label]) -> Table:
    table = plain_table(
        "", "label", "$ quartiles", "turns", "prompt\ntokens", "cached", "output", "summaries", "hidden", "ended"
    )
    for one in labels:
        table.add_row(
            escape(one.label),
            f"{dollars(one.cost.lower)} to {dollars(one.cost.upper)}" if one.cost else UNKNOWN,
            f"{one.turns.lower:g} to {one.turns.upper:g}" if one.turns else UNKNOWN,
            short(one.prompt.mean) if one.prompt else UNKNOWN,
            _share(one.cached),
            short(one.output.mean) if one.output else UNKNOWN,
            _share(one.summaries),
            _share(one.hidden),
            escape(_counted(one.exits)),
        )
    return table


def _share(share: float | None) -> str:
    return UNKNOWN if share is None else f"{share:.1%}"


def _counted(found: Mapping[str, int]) -> str:
    named = [f"{name} {number}" for name, number in list(found.items())[:NAMED]]
    more = [f"{len(found) - NAMED} more ways"] if len(found) > NAMED else []
    return "\n".join([*named, *more])


def _tests(pair: Pair) -> Table:
    title = escape(f"{pair.other} against {pair.base}, {pair.matched:,} matched instances")
    table = plain_table(title, "", "means", "difference", "ratios", "effect", "p", "Holm")
    table.add_column("")
    for one in pair.differences:
        table.add_row(
            one.quantity + (f"\n{one.matched} known" if one.matched < pair.matched else ""),
            *_figures(one),
            f"{one.effect:.2f}" + (f"\n+{one.gained} -{one.lost}" if one.gained is not None else ""),
            probability(one.p),
            probability(one.adjusted),
            judgement(one),
        )
    return table


def _figures(one: Difference) -> tuple[str, str, str]:
    """Both means, their difference with its interval, and the ratios."""
    form, signed = FORMS[one.quantity]
    ratios = [f"{ratio:.2f}" for ratio in (one.ratio, one.ratio_of_medians) if ratio is not None]
    return (
        f"{form(one.other)}\n{form(one.base)}",
        "\n".join([signed(one.difference), *_brackets(one.interval, signed)]),
        "\n".join(ratios[:1] if one.quantity == "solved" else ratios),
    )


FORMS: dict[str, tuple[Form, Form]] = {
    "solved": (lambda share: f"{share:.1%}", lambda share: f"{100 * share:+.1f}"),
    "cost": (lambda cost: f"${dollars(cost)}", "{:+.3f}".format),
    "turns": ("{:.1f}".format, "{:+.1f}".format),
}
"""How a quantity and a difference in it are written: solved in percent and in points."""
