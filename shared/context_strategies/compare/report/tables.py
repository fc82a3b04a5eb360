"""What the page says in tables: plain values, of texts that the template escapes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from context_strategies.compare.comparison import Comparison, Difference, Interval, Label
from context_strategies.compare.recorded import Recorded
from context_strategies.compare.rows import DEARER, Block, Row
from context_strategies.compare.run_rows import RunRow, by_run
from context_strategies.compare.show import LEGEND, MARKS_LEGEND, caption_of, dollars, short
from context_strategies.compare.wording import probability


@dataclass(frozen=True, slots=True)
class Cell:
    """``value`` is what a column is sorted by, where it is no text; ``bar`` a share that is drawn as well; ``mark`` a
    word that sets the cell apart; ``href`` a place in this page.
    """

    text: str
    value: float | None = None
    bar: float | None = None
    mark: str = ""
    href: str = ""


UNKNOWN = Cell("-")
MOST = 2_000
"""Runs that a table lists: a browser lays out more only slowly, and nobody reads them."""


@dataclass(frozen=True, slots=True)
class Table:
    """``groups`` are (name, number of columns) over ``columns``, empty for none; the first cell of a row names it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    groups: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()


def strategy_tables(block: Block, counter: str, advised: str) -> tuple[Table, Table]:
    """Every strategy against the raw agent, over all runs of one market: what it costs, and what it still shows; the
    ``advised`` one is marked.
    """
    rows = block.rows()
    raw = rows[0]
    marked = any(row.host_marks is not None for row in rows)
    cost = ("$ a run", "of raw", "worst run", "dearer", "summary", *(("host's marks",) if marked else ()))
    context = ("prompt tokens", "peak", "mean", "hidden", "cached", "moves")
    costs = Table(
        title=f"Cost and context: {_count(raw.runs, 'run')}, {_count(raw.calls, 'call')}",
        columns=("strategy", *cost, *context),
        rows=tuple(_cost(row, advised, marked=marked) for row in rows),
        groups=(("", 1), ("Cost", len(cost)), ("Context", len(context))),
        notes=(f"{caption_of(block, counter)}.",),
    )
    facts = Table(
        title=f"What is still shown: {raw.needed:,} facts used again, {raw.first:,} of them for the first time",
        columns=("strategy", "shown when needed", "first use", "kept to the end", "cost with refetching"),
        rows=tuple(_facts(row) for row in rows),
        notes=(LEGEND + (MARKS_LEGEND if marked else ""),),
    )
    return costs, facts


def _cost(row: Row, advised: str, *, marked: bool) -> tuple[Cell, ...]:
    mark = "advised" if row.strategy == advised else "more than raw" if row.cost_against_raw > DEARER else ""
    each = row.cost / row.runs
    return (
        Cell(row.strategy),
        Cell(dollars(each), each),
        Cell(f"{row.cost_against_raw:.0%}", row.cost_against_raw, bar=row.cost_against_raw, mark=mark),
        _share(row.worst, 0),
        Cell(f"{row.dearer}", row.dearer),
        _share(row.summaries, 0),
        *((_share(row.host_marks or 0.0, 0),) if marked else ()),
        Cell(short(row.prompt), row.prompt),
        Cell(short(row.peak), row.peak),
        Cell(short(row.mean), row.mean),
        _share(row.hidden, 0),
        _share(row.cached, 0),
        Cell(f"{row.moves:,}", row.moves),
    )


def _facts(row: Row) -> tuple[Cell, ...]:
    shares = (row.available, row.first_available, row.retained)
    return (Cell(row.strategy), *map(_share, shares), _share(row.adjusted, 0))


def runs_table(rows: Sequence[RunRow], viewed: Mapping[tuple[str, str], str]) -> Table:
    """A line a run: its cost under every strategy against the raw agent's, and the way to it in the viewer.

    ``viewed`` are the viewer's names of the runs that it has, by (source, id).
    """
    runs = list(by_run(rows))
    names = tuple(row.strategy for row in runs[0][1:])
    return Table(
        title="Every run",
        columns=("run", "format", "calls", "raw peak", "raw $", *names),
        rows=tuple(_run(run, viewed) for run in runs[:MOST]),
        groups=(("", 5), ("Cost of raw", len(names))) if names else (),
        notes=(
            "A run opens in the viewer below. \u25b2: dearer, over 102 % of the raw agent's cost.",
            *_unlisted(runs),
        ),
    )


def _unlisted(rows: Sequence[object]) -> tuple[str, ...]:
    """A note on those beyond ``MOST``."""
    return (f"{len(rows) - MOST:,} more are not listed.",) if len(rows) > MOST else ()


def _run(run: Sequence[RunRow], viewed: Mapping[tuple[str, str], str]) -> tuple[Cell, ...]:
    raw, *others = run
    name = raw.id or raw.source
    key = viewed.get((raw.source, name))
    costs = [row.cost / raw.cost if raw.cost else 1.0 for row in others]
    return (
        Cell(name, href=f"#{urlencode({'run': key})}" if key else ""),
        Cell(raw.format),
        Cell(f"{raw.calls:,}", raw.calls),
        Cell(short(raw.peak), raw.peak),
        Cell(dollars(raw.cost), raw.cost),
        *(Cell(f"{ratio:.0%}", ratio, mark="dearer" if ratio > DEARER else "") for ratio in costs),
    )


def recorded_table(checks: Sequence[Recorded], counter: str) -> Table:
    """Recorded costs beside what the recorded usage comes to at today's prices, and beside what is predicted."""
    return Table(
        title="Recorded costs, and what is predicted for them",
        columns=("run", "model", "recorded $", "by usage $", "off by", "predicted $", "off by"),
        rows=tuple(
            (
                Cell(check.id + ("*" if check.condensed else "")),
                Cell(check.model or "not recorded"),
                Cell(dollars(check.cost), check.cost),
                *_beside(check.by_usage, check.cost),
                *_beside(check.predicted, check.cost),
            )
            for check in checks[:MOST]
        ),
        notes=(
            f"tokens: {counter}. *: the scaffold had edited its requests, so that its history predicts another cost.",
            *_unlisted(checks),
        ),
    )


def _beside(cost: float | None, recorded: float) -> tuple[Cell, Cell]:
    if cost is None:
        return UNKNOWN, UNKNOWN
    off = cost / recorded - 1
    return Cell(dollars(cost), cost), Cell(f"{off:+.1%}", off)


def comparison_tables(comparison: Comparison) -> list[Table]:
    """Measured runs: the labels by themselves, and the tests between them, if there are any."""
    percent = f"{comparison.confidence:.0%} interval"
    labels = Table(
        title="Measured runs",
        columns=("label", "instances", "runs", "solved", percent, "mean $", percent, "median $", "mean turns", percent),
        rows=tuple(_label(label) for label in comparison.labels),
        notes=comparison.warnings,
    )
    pairs = Table(
        title=f"Differences from {comparison.baseline}" if comparison.baseline else "Differences",
        columns=("compared", "in", "matched", "base", "other", "difference", percent, "p, adjusted", "method"),
        rows=tuple(
            _difference(f"{pair.other} against {pair.base}", one)
            for pair in comparison.pairs
            for one in pair.differences
        ),
        notes=(_method(comparison),),
    )
    return [labels, pairs] if pairs.rows else [labels]


def _method(comparison: Comparison) -> str:
    return (
        f"Bootstrap of {comparison.resamples:,} resamples over instances, seed {comparison.seed}; p after Holm over "
        f"{comparison.tests} tests, significant below {comparison.alpha:g}."
    )


def _label(label: Label) -> tuple[Cell, ...]:
    solved, cost, turns = label.solved, label.cost, label.turns
    return (
        Cell(label.label),
        Cell(f"{label.instances:,}", label.instances),
        Cell(f"{label.runs:,}", label.runs),
        _share(solved.share) if solved else UNKNOWN,
        _interval(solved.interval, "%") if solved else UNKNOWN,
        Cell(dollars(cost.mean), cost.mean) if cost else UNKNOWN,
        _interval(cost.interval, "$") if cost else UNKNOWN,
        Cell(dollars(cost.median), cost.median) if cost else UNKNOWN,
        Cell(f"{turns.mean:.1f}", turns.mean) if turns else UNKNOWN,
        _interval(turns.interval, "") if turns else UNKNOWN,
    )


def _difference(compared: str, one: Difference) -> tuple[Cell, ...]:
    unit = {"solved": "%", "cost": "$", "turns": ""}[one.quantity]
    return (
        Cell(compared),
        Cell(one.quantity),
        Cell(f"{one.matched:,}", one.matched),
        Cell(_number(one.base, unit), one.base),
        Cell(_number(one.other, unit), one.other),
        Cell(_number(one.difference, unit, sign="+"), one.difference, mark="significant" if one.significant else ""),
        _interval(one.interval, unit, sign="+"),
        Cell(probability(one.adjusted), one.adjusted),
        Cell(one.method),
    )


def _interval(interval: Interval | None, unit: str, sign: str = "") -> Cell:
    if interval is None:
        return UNKNOWN
    return Cell(f"{_number(interval.low, unit, sign)} to {_number(interval.high, unit, sign)}", interval.low)


def _number(number: float, unit: str, sign: str = "") -> str:
    form = {"%": ".1%", "$": ".4f" if abs(number) < 0.1 else ".2f", "": ".1f"}[unit]  # noqa: PLR2004 - three digits
    return f"{number:{sign}{form}}"


def _share(share: float, digits: int = 1) -> Cell:
    return Cell(f"{share:.{digits}%}", share)


def _count(number: int, of: str) -> str:
    return f"{number:,} {of}{'s' * (number != 1)}"
