"""A chart as plotly takes it, made without importing plotly, which takes a second."""

from collections.abc import Sequence
from html import escape
from typing import Any

from context_strategies.compare.charts import COLORS, Chart, Series, distances

MARKS = ("circle", "square", "diamond", "triangle-up", "x", "cross", "star", "pentagon")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "solid", "dash")


def figure_of(chart: Chart) -> dict[str, Any]:
    """``{"data": ..., "layout": ...}`` of ``chart``."""
    names, values = _axis(chart.x), _axis(chart.y)
    values |= {"tickformat": ".0%"} if chart.scale == "percent" else {}
    values |= {"type": "log"} if chart.scale == "logarithmic" else {"rangemode": "tozero"}
    across, up = (names, values) if chart.kind == "points" else (values, names)
    layout = {
        "xaxis": across,
        "yaxis": up,
        "margin": {"l": 60, "r": 20, "t": 10, "b": 50},
        "legend": {"orientation": "h", "y": -0.2},
        "hovermode": "closest",
        "showlegend": chart.kind == "points",
    }
    traces = [_trace(chart, one, number) for number, one in enumerate(chart.series)]
    return {"data": traces, "layout": layout}


def _axis(title: str) -> dict[str, Any]:
    return {"title": {"text": title}, "automargin": True, "zeroline": False, "gridcolor": "rgba(128,128,128,.2)"}


def _trace(chart: Chart, one: Series, number: int) -> dict[str, Any]:
    color, name = COLORS[number % len(COLORS)], _text(one.name)
    if chart.kind == "bars":
        return {
            "type": "bar",
            "orientation": "h",
            "x": one.y,
            "y": [*map(_text, one.names)],
            "marker": {"color": color},
        }
    if chart.kind == "boxes":
        return {"type": "box", "name": name, "x": one.y, "marker": {"color": color}, "boxpoints": False}
    trace: dict[str, Any] = {"type": "scatter", "name": name, "x": one.x, "y": one.y}
    if one.joined:
        return trace | {"mode": "lines", "line": {"color": color, "dash": DASHES[number % len(DASHES)]}}
    size = 6 if len(one.x) > 1 else 11
    trace |= {"mode": "markers", "marker": {"color": color, "symbol": MARKS[number % len(MARKS)], "size": size}}
    trace |= {"text": [*map(_text, one.names)]} if one.names else {}
    trace |= {"error_x": _bars(one.x, one.left, one.right)} if one.left else {}
    trace |= {"error_y": _bars(one.y, one.low, one.high)} if one.low else {}
    return trace


def _text(name: str) -> str:
    """``name`` as plotly shows it as it is: it reads some markup, and names come from recordings."""
    return escape(name, quote=False)


def _bars(middle: Sequence[float], low: Sequence[float], high: Sequence[float]) -> dict[str, Any]:
    below, above = distances(middle, low, high)
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below, "thickness": 1}
