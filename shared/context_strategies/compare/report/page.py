"""The page: one file that holds its style, its script and the runs, and asks the network for nothing.

What runs recorded is foreign text. The template escapes it; the viewer's runs are compressed and in base64, so that no
markup of theirs stands in the file, and its script shows them as text alone. The page's policy lets only its own
script run.
"""

import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from context_strategies.compare.charts import Chart
from context_strategies.compare.charts_plotly import figure_of
from context_strategies.compare.profile import Advice
from context_strategies.compare.report.gathered import Viewer
from context_strategies.compare.report.runs import packed
from context_strategies.compare.report.tables import Table

HERE = Path(__file__).parent
SCRIPTS = ("data.js", "elements.js", "messages.js", "viewer.js", "page.js")


@dataclass(frozen=True, slots=True)
class Priced:
    """What is said of the runs at one model's prices, ``name``, empty for the assumed ones."""

    name: str
    advice: Advice
    tables: Sequence[Table]


@dataclass(frozen=True, slots=True)
class Page:
    """Everything on the page. ``figures`` are (name, value), of the runs as a whole; ``advised`` is the strategy that
    the viewer starts with, and ``left_out`` are the runs it has no room for.
    """

    title: str
    caution: str
    figures: Sequence[tuple[str, str]]
    markets: Sequence[Priced]
    viewer: Viewer
    advised: str = ""
    left_out: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    comparison: Sequence[Table] = ()
    findings: Sequence[str] = ()
    details: Sequence[Table] = ()
    refused: Sequence[str] = ()


def embedded(value: object) -> str:
    """``value`` as JSON that no text in it can end, for a script element that is data."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.translate({ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"})


def html_of(page: Page) -> str:
    """The whole page; the same text for the same values. Lone surrogates, which no file may hold, are replaced."""
    style = _own("page.css")
    script = "".join(_own(name) for name in SCRIPTS)
    plotly = _plotly() if page.charts else ""
    text: str = _template().render(
        page=page,
        style=style,
        script=script,
        plotly=packed(plotly) if plotly else "",
        policy=_policy(script, style, plotly),
        index=embedded([entry for entry, _ in page.viewer.runs]),
        charts=embedded([figure_of(chart) for chart in page.charts]),
    )
    return text.encode("utf-8", "replace").decode()


def _policy(script: str, style: str, plotly: str) -> str:
    """Nothing is loaded and nothing runs but what stands here; plotly, where there is a figure, styles its own."""
    scripts = " ".join(_hash(text) for text in (script, plotly) if text)
    styles = "'unsafe-inline'" if plotly else _hash(style)
    images = "img-src data: blob:; " if plotly else ""
    return f"default-src 'none'; script-src {scripts}; style-src {styles}; {images}base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@cache
def _own(name: str) -> str:
    """A file of this folder."""
    return (HERE / name).read_text(encoding="utf-8")


def _plotly() -> str:
    """Plotly's script, which its package brings; the package itself need not be imported, which takes a second."""
    return files("plotly").joinpath("package_data", "plotly.min.js").read_text(encoding="utf-8")


def _template() -> Any:
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("page.html.j2")
