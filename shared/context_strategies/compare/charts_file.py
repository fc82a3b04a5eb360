"""A chart as an SVG file, by matplotlib."""

from pathlib import Path
from typing import Any

from context_strategies.compare.charts import COLORS, Chart, Series, distances

MARKS = "osD^Xp*P"
DASHES = ("-", "--", ":", "-.")
NAME = 48
"""Characters of a name in a legend."""


def draw(chart: Chart, path: Path) -> None:
    """Write ``chart`` to ``path``, the same bytes for the same chart. OSError where that can't be done."""
    import matplotlib as mpl  # noqa: PLC0415 - a second, for those who draw alone
    from matplotlib.figure import Figure  # noqa: PLC0415
    from matplotlib.ticker import PercentFormatter, StrMethodFormatter  # noqa: PLC0415

    # Names come from recordings: a dollar sign in one would be read as a formula.
    with mpl.rc_context({"svg.hashsalt": chart.name, "text.parse_math": False}):
        figure = Figure(figsize=(8, 5), layout="constrained")
        axes = figure.subplots()
        for number, one in enumerate(chart.series):
            _add(axes, chart, one, number)
        value = axes.yaxis if chart.kind == "points" else axes.xaxis
        value.set_label_text(chart.y)
        if chart.scale == "percent":
            value.set_major_formatter(PercentFormatter(1, decimals=0))
        if chart.scale == "logarithmic":
            axes.set_yscale("log")
            value.set_major_formatter(StrMethodFormatter("{x:g}"))
        if chart.kind == "points":
            axes.set_xlabel(chart.x)
            figure.legend(loc="outside lower center", ncols=2, fontsize=8, frameon=False)
        axes.set_title(chart.title, loc="left")
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(path, metadata={"Date": None})


def _add(axes: Any, chart: Chart, one: Series, number: int) -> None:
    """One series, by its place among them."""
    color, name = COLORS[number % len(COLORS)], _short(one.name)
    if chart.kind == "bars":
        axes.barh([*map(_short, one.names)], one.y, color=color)
    elif chart.kind == "boxes":
        style = {"widths": 0.6, "showfliers": False, "orientation": "horizontal", "medianprops": {"color": color}}
        axes.boxplot(one.y, positions=[-number], tick_labels=[name], **style)
    elif one.joined:
        axes.plot(one.x, one.y, color=color, linestyle=DASHES[number % len(DASHES)], label=name)
    else:
        across = distances(one.x, one.left, one.right) if one.left else None
        up = distances(one.y, one.low, one.high) if one.low else None
        style = {"fmt": MARKS[number % len(MARKS)], "markersize": 3 if len(one.x) > 1 else 7, "elinewidth": 1}
        axes.errorbar(one.x, one.y, xerr=across, yerr=up, color=color, label=name, **style)


def _short(name: str) -> str:
    """``name``, its middle cut out where it is long: labels of one experiment begin alike."""
    return name if len(name) <= NAME else f"{name[: NAME // 2]}…{name[-NAME // 2 :]}"
