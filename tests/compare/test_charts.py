"""Figures: what they show, drawn alike into files and pages, whatever the labels are."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from context_strategies.compare import charts
from context_strategies.compare.charts import Chart
from context_strategies.compare.charts_plotly import figure_of
from context_strategies.compare.comparing import Design, compare
from context_strategies.compare.evaluate import Choice, Market
from context_strategies.compare.outcomes import Outcome, arm
from context_strategies.compare.rows import Block
from context_strategies.compare.run_rows import by_run
from context_strategies.compare.work import Plan, work
from context_strategies.strategies import choose
from context_strategies.trajectories import Source, find

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "recordings"
ODD = "<script>$\\frac{a}$ 100%</script>" * 4


COMPARISON = compare(
    [
        arm("raw", [Outcome(str(n), solved=n < 4, cost=2.0 + n, turns=10 + n) for n in range(9)]),
        arm(ODD, [Outcome(str(n), solved=n < 3, cost=1.0 + n, turns=20 - n) for n in range(9)]),
    ],
    Design(),
)


def replayed() -> Plan:
    names = ("raw", "masking:refresh=1")
    return Plan(tuple(Choice(name, choose(name)) for name in names), (Market(),))


def every_chart() -> list[Chart]:
    rows = [row for source in find([EXAMPLES]) if isinstance(source, Source) for row in work(replayed(), source).rows]
    block = Block()
    for run in by_run(rows):
        block.add(run)
    return [
        *charts.of_comparison(COMPARISON),
        charts.kinds({"observation": 80, "action": 15, "task": 5, "note": 0}, 4),
        charts.sizes(ODD, {"raw": [100, 200, 300], "masking": [100, 200, 150]}),
        charts.tail(rows),
        charts.shown(block.rows(), "a-model"),
    ]


CHARTS = every_chart()


def of(name: str) -> Chart:
    return next(chart for chart in CHARTS if chart.name == name)


def test_there_is_one_of_each() -> None:
    assert [chart.name for chart in CHARTS] == ["solved", "lengths", "costs", "kinds", "sizes", "tail", "shown"]


def test_shares_are_of_the_whole_and_the_largest_is_last_which_is_drawn_on_top() -> None:
    (series,) = of("kinds").series
    assert series.names == ("task", "action", "observation")
    assert series.y == pytest.approx((0.05, 0.15, 0.8))


def test_cost_against_solve_rate_has_both_intervals_and_the_labels_that_none_beats() -> None:
    raw, odd, frontier = of("solved").series
    assert raw.x[0] == 6.0
    assert raw.y[0] == pytest.approx(4 / 9)
    assert odd.left[0] < odd.x[0] < odd.right[0]
    assert odd.low[0] < odd.y[0] < odd.high[0]
    assert frontier.x == (5.0, 6.0)


def test_a_run_is_a_point() -> None:
    raw, masked = of("tail").series
    assert len(raw.x) == len(masked.x) == 4
    assert raw.x == masked.x
    assert raw.y != masked.y


def test_a_long_run_is_thinned() -> None:
    (series,) = charts.sizes("long", {"raw": list(range(100_000))}).series
    assert len(series.x) == len(series.y) <= charts.LARGEST
    assert series.x[1] - 1 == series.y[1]


def test_nothing_known_is_no_figure() -> None:
    unknown = compare([arm(name, [Outcome("one")]) for name in "ab"], Design())
    assert charts.of_comparison(unknown) == []


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)
def test_a_file_is_well_formed_and_the_same_each_time(chart: Chart, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib draws the files")
    from context_strategies.compare.charts_file import draw

    draw(chart, tmp_path / "one.svg")
    draw(chart, tmp_path / "two.svg")
    drawn = (tmp_path / "one.svg").read_bytes()
    assert drawn == (tmp_path / "two.svg").read_bytes()
    assert ET.fromstring(drawn).tag.endswith("svg")  # noqa: S314 - our own file


def test_a_name_is_no_markup() -> None:
    names = [trace["name"] for trace in figure_of(of("solved"))["data"]]
    assert names[1].startswith("&lt;script&gt;$")


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)
def test_plotly_takes_what_a_page_gets(chart: Chart) -> None:
    plotly = pytest.importorskip("plotly.graph_objects", reason="plotly draws on pages")
    assert len(plotly.Figure(json.loads(json.dumps(figure_of(chart)))).data) == len(chart.series)
