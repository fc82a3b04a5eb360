"""From replayed runs to the page."""

from collections.abc import Iterable, Sequence
from typing import Any

from context_strategies.compare.comparison import Comparison
from context_strategies.compare.evaluate import Choice, Market
from context_strategies.compare.profile import advice_of
from context_strategies.compare.recorded import Recorded
from context_strategies.compare.report import tables
from context_strategies.compare.report.figures import figures_of
from context_strategies.compare.report.page import LARGEST, Page, Priced, Viewer
from context_strategies.compare.report.runs import document
from context_strategies.compare.run_rows import RunRow
from context_strategies.compare.show import CAUTION, dollars, short
from context_strategies.replay import weigh
from context_strategies.tokens import Counter
from context_strategies.trajectories import Refusal, Trajectory

FULL = 0.9
"""Share of the viewer's bytes from which on the first run that doesn't fit is the last one tried."""


def viewer_of(
    runs: Iterable[Trajectory], choices: Sequence[Choice], market: Market, counter: Counter, largest: int = LARGEST
) -> Viewer:
    """``runs`` under each of ``choices`` for the viewer, billed in ``market``: those that fit in ``largest`` bytes."""
    viewer = Viewer(largest)
    for run in runs:
        weighed = weigh(run, counter)
        fits = viewer.add(_entry(run), document(weighed, choices, market))
        if not fits and viewer.size > FULL * largest:
            break
    return viewer


def _entry(run: Trajectory) -> dict[str, Any]:
    """What the viewer's list says of ``run``."""
    return {
        "id": run.id or run.source,
        "source": run.source,
        "format": run.format,
        "model": run.model,
        "calls": len(run.calls),
        "condensed": run.condensed,
        "lost": list(run.lost),
    }


def page_of(  # noqa: PLR0913 - what a page is made of
    rows: Sequence[RunRow],
    viewer: Viewer,
    counter: Counter,
    *,
    checks: Sequence[Recorded] = (),
    refusals: Sequence[Refusal] = (),
    comparison: Comparison | None = None,
) -> Page:
    """The page of ``rows``, every run under every strategy, raw among them, in every market; the viewer has the runs of
    the first.
    """
    blocks: dict[str, list[RunRow]] = {}
    for row in rows:
        blocks.setdefault(row.market, []).append(row)
    markets = []
    for name, block in blocks.items():
        advice = advice_of(block)
        markets.append(Priced(name, advice, tables.strategy_tables(block, counter.name, advice.strategy)))
    first = next(iter(blocks.values()))
    viewed = {(entry["source"], entry["id"]): entry["key"] for entry, _ in viewer.runs}
    details = [tables.runs_table(first, viewed)]
    details += [tables.recorded_table(checks, counter.name)] if checks else []
    raw = [row for row in first if row.strategy == "raw"]
    return Page(
        title="Context strategies on recorded runs",
        caution=CAUTION,
        figures=_figures(raw),
        markets=markets,
        viewer=viewer,
        advised=markets[0].advice.strategy,
        left_out=[name for row in raw if (row.source, name := row.id or row.source) not in viewed],
        charts=figures_of(first, viewer.gathered, comparison),
        comparison=tables.comparison_tables(comparison) if comparison else (),
        findings=comparison.findings if comparison else (),
        details=details,
        refused=[str(refusal) for refusal in refusals],
    )


def _figures(raw: Sequence[RunRow]) -> list[tuple[str, str]]:
    return [
        ("recorded runs", f"{len(raw):,}"),
        ("calls of a model", f"{sum(row.calls for row in raw):,}"),
        ("tokens read, raw", short(sum(row.prompt for row in raw))),
        ("largest request", short(max(row.peak for row in raw))),
        ("cost of raw", f"${dollars(sum(row.cost for row in raw))}"),
    ]
