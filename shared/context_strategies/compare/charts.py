"""Figures as plain values, which files (matplotlib) and pages (plotly) draw alike."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from context_strategies.compare.comparison import Comparison
from context_strategies.compare.rows import Row
from context_strategies.compare.run_rows import RunRow

# Okabe and Ito's colours, told apart with any colour vision; marks and dashes repeat the difference.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d1f", "#7f7f7f")

LARGEST = 5_000
"""Points of one series that are drawn; of more, every so many."""


@dataclass(frozen=True, slots=True)
class Series:
    """One thing that a figure shows. ``low`` and ``high``, where there are any, are the ends of intervals around ``y``,
    ``left`` and ``right`` those around ``x``; ``names`` say what each point is. ``joined``: the points are a line.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    left: tuple[float, ...] = ()
    right: tuple[float, ...] = ()
    names: tuple[str, ...] = ()
    joined: bool = False


def distances(middle: Sequence[float], low: Sequence[float], high: Sequence[float]) -> tuple[list[float], list[float]]:
    """How far the ends of intervals are from what lies between them."""
    below = [value - end for value, end in zip(middle, low, strict=True)]
    return below, [end - value for value, end in zip(middle, high, strict=True)]


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure: ``name`` is that of its file; ``caption`` says what it shows and what not.

    Bars and boxes have no ``x``: a bar is one of the series' ``names``, a box all of its ``y``. ``scale`` is that of
    the values.
    """

    name: str
    title: str
    caption: str
    kind: Literal["bars", "points", "boxes"]
    x: str
    y: str
    series: tuple[Series, ...]
    scale: Literal["linear", "logarithmic", "percent"] = "linear"


def kinds(sent: Mapping[str, int], runs: int) -> Chart:
    """What the raw agent's requests are made of: ``sent`` are tokens by kind of message, over all requests."""
    whole = sum(sent.values()) or 1
    shares = sorted(((kind, tokens / whole) for kind, tokens in sent.items() if tokens), key=lambda pair: pair[1])
    series = Series("share", (), tuple(share for _, share in shares), names=tuple(kind for kind, _ in shares))
    caption = f"Share of all prompt tokens that the raw agent sends, by kind of message; {runs} runs."
    values = "share of prompt tokens"
    return Chart("kinds", "What requests are made of", caption, "bars", "", values, (series,), "percent")


def sizes(run: str, prompts: Mapping[str, Sequence[int]]) -> Chart:
    """The size of every request of one ``run``, a line a strategy: ``prompts`` are tokens."""
    series = tuple(Series(name, *_thinned(row), joined=True) for name, row in prompts.items())
    caption = f"Tokens of each request of {run}, the longest run, under each strategy."
    return Chart("sizes", "Context size, call by call", caption, "points", "call", "tokens", series)


def tail(rows: Iterable[RunRow], market: str = "") -> Chart:
    """What each run costs over how long it is: savings are in the tail. One point a run and strategy."""
    groups: dict[str, list[RunRow]] = {}
    for row in rows:
        groups.setdefault(row.strategy, []).append(row)
    series = tuple(_run_points(name, group) for name, group in groups.items())
    caption = f"Cost of each run under each strategy over its number of turns{_at(market)}; one point a run."
    return Chart("tail", "Cost of a run by its length", caption, "points", "turns", "US dollars", series, "logarithmic")


def _run_points(name: str, group: Sequence[RunRow]) -> Series:
    costly = [row for row in group if row.cost > 0]
    costly = costly[:: len(costly) // LARGEST + 1]
    return Series(
        name,
        tuple(row.turns for row in costly),
        tuple(row.cost for row in costly),
        names=tuple(row.id or row.source for row in costly),
    )


def shown(rows: Iterable[Row], market: str = "") -> Chart:
    """Cost against what contexts still show of the facts that the next action uses."""
    series = tuple(Series(row.strategy, (row.cost_against_raw,), (row.available,)) for row in rows)
    caption = f"Pooled over all runs{_at(market)}. Left is cheaper, up shows more; it says nothing of what is solved."
    title = "Cost against needed facts shown"
    return Chart("shown", title, caption, "points", "cost of raw", "needed facts shown", series, "percent")


def solved(comparison: Comparison) -> Chart | None:
    """Mean cost against solve rate, with both intervals; None where no label has both."""
    series = tuple(
        Series(
            one.label,
            (one.cost.mean,),
            (one.solved.share,),
            (one.solved.interval.low,) if one.solved.interval else (),
            (one.solved.interval.high,) if one.solved.interval else (),
            (one.cost.interval.low,) if one.cost.interval else (),
            (one.cost.interval.high,) if one.cost.interval else (),
        )
        for one in comparison.labels
        if one.cost and one.solved
    )
    caption = (
        f"Means with {comparison.confidence:.0%} bootstrap intervals, each label over its own instances; the line "
        "joins labels that no other beats in both. Overlapping intervals settle nothing: the paired tests do."
    )
    if not series:
        return None
    line = _frontier(series)
    title = "Cost against solve rate"
    x, y = "mean cost of an instance, US dollars", "solve rate"
    return Chart("solved", title, caption, "points", x, y, (*series, *line), "percent")


def _frontier(series: Sequence[Series]) -> tuple[Series, ...]:
    """The labels that are cheapest for what they solve, in order of cost."""
    points = sorted((one.x[0], -one.y[0]) for one in series)
    best, kept = -1.0, []
    for cost, minus in points:
        if -minus > best:
            best = -minus
            kept.append((cost, best))
    line = Series("frontier", tuple(x for x, _ in kept), tuple(y for _, y in kept), joined=True)
    return (line,) if len(kept) > 1 else ()


def lengths(comparison: Comparison) -> Chart | None:
    """Turns of the runs of each label, as boxes; None where no turns are known."""
    found = {
        label: [float(one.turns) for one in outcomes if one.turns is not None]
        for label, outcomes in comparison.outcomes.items()
    }
    series = tuple(Series(label, (), tuple(turns)) for label, turns in found.items() if turns)
    caption = "Turns of each run: quartiles, and whiskers to the last run within 1.5 times their distance."
    return Chart("lengths", "Length of runs", caption, "boxes", "", "turns", series) if series else None


def costs(comparison: Comparison) -> Chart | None:
    """Measured cost of each run over its turns; None where no run has both."""
    series = []
    for label, outcomes in comparison.outcomes.items():
        known = [one for one in outcomes if one.cost and one.turns is not None]
        known = known[:: len(known) // LARGEST + 1]
        turns, paid = tuple(one.turns or 0 for one in known), tuple(one.cost or 0.0 for one in known)
        series += [Series(label, turns, paid, names=tuple(one.instance for one in known))] if known else []
    caption = "What each run was billed over its number of turns; one point a run."
    chart = Chart(
        "costs", "Cost of a run by its length", caption, "points", "turns", "US dollars", tuple(series), "logarithmic"
    )
    return chart if series else None


def of_comparison(comparison: Comparison) -> list[Chart]:
    """Every figure that ``comparison`` has the numbers for."""
    return [chart for chart in (solved(comparison), lengths(comparison), costs(comparison)) if chart]


def _thinned(sizes: Sequence[int]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Calls, from 1, and their sizes."""
    step = len(sizes) // LARGEST + 1
    return tuple(range(1, len(sizes) + 1, step)), tuple(sizes[::step])


def _at(market: str) -> str:
    return f" at the prices of {market}" if market else " at the assumed prices"
