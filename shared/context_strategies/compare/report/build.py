"""From replayed runs to the page."""

from collections.abc import Mapping, Sequence

from context_strategies.compare import charts
from context_strategies.compare.charts import Chart
from context_strategies.compare.comparison import Comparison
from context_strategies.compare.profile import advice_of
from context_strategies.compare.recorded import Recorded
from context_strategies.compare.report import tables
from context_strategies.compare.report.gathered import Gathered
from context_strategies.compare.report.page import Page, Priced
from context_strategies.compare.rows import Block, Row
from context_strategies.compare.show import CAUTION, dollars, short
from context_strategies.trajectories import Refusal


def page_of(  # noqa: PLR0913 - what a page is made of
    blocks: Mapping[str, Block],
    gathered: Gathered,
    counter: str,
    *,
    checks: Sequence[Recorded] = (),
    refusals: Sequence[Refusal] = (),
    comparison: Comparison | None = None,
) -> Page:
    """The page of runs: their totals by market, and what was ``gathered`` of each in the first; ``counter`` is how
    tokens were counted.
    """
    markets = []
    for name, block in blocks.items():
        advice = advice_of(block.rows())
        markets.append(Priced(name, advice, tables.strategy_tables(block, counter, advice.strategy)))
    first = blocks[gathered.market].rows()
    viewed = {(entry["source"], entry["id"]): entry["key"] for entry, _ in gathered.viewer.runs}
    details = [tables.runs_table(gathered.rows, viewed)]
    details += [tables.recorded_table(checks, counter)] if checks else []
    names = [(row.source, row.id or row.source) for row in gathered.rows if row.strategy == "raw"]
    return Page(
        title="Context strategies on recorded runs",
        caution=CAUTION,
        figures=_figures(first[0]),
        markets=markets,
        viewer=gathered.viewer,
        advised=markets[0].advice.strategy,
        left_out=[name for source, name in names if (source, name) not in viewed],
        charts=_charts(first, gathered, comparison),
        comparison=tables.comparison_tables(comparison) if comparison else (),
        findings=comparison.findings if comparison else (),
        details=details,
        refused=[str(refusal) for refusal in refusals],
    )


def _figures(raw: Row) -> list[tuple[str, str]]:
    return [
        ("recorded runs", f"{raw.runs:,}"),
        ("calls of a model", f"{raw.calls:,}"),
        ("tokens read, raw", short(raw.prompt)),
        ("largest request", short(raw.peak)),
        ("cost of raw", f"${dollars(raw.cost)}"),
    ]


def _charts(rows: Sequence[Row], gathered: Gathered, comparison: Comparison | None) -> list[Chart]:
    """The figures of one market's runs, and of what was measured, those that there are numbers for."""
    of_runs = [charts.shown(rows, gathered.market), charts.tail(gathered.rows, gathered.market)]
    if gathered.calls:
        of_runs += [charts.sizes(gathered.longest, gathered.prompts), charts.kinds(gathered.sent, rows[0].runs)]
    return of_runs + (charts.of_comparison(comparison) if comparison else [])
