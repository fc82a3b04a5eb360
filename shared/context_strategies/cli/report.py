"""One HTML page of everything: tables, figures, and a viewer of what the model was shown."""

from pathlib import Path
from typing import Annotated

import typer

from context_strategies.cli.options import CacheOption, EngineOption, Jobs, Models, PricesFile, Strategies, Timeout

Places = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH...",
        help="Recorded runs: files, or folders with all in them. LABEL=PATH, with several labels, or the folder of an "
        "experiment: these are compared as well.",
    ),
]
Html = Annotated[Path, typer.Option("--out", metavar="FILE", help="Where to write the page.")]
Largest = Annotated[int, typer.Option("--largest", min=0, metavar="MB", help="Most megabytes of runs in the viewer.")]


def report(  # noqa: PLR0913, PLR0917 - one parameter an option
    paths: Places,
    strategy: Strategies = None,
    model: Models = None,
    cache: CacheOption = "auto",
    prices: PricesFile = None,
    out: Html = Path("report.html"),
    largest: Largest = 40,
    jobs: Jobs = None,
    engine: EngineOption = "local",
    timeout: Timeout = 600,
) -> None:
    """Recorded runs as one HTML page: what every strategy would have cost, and what the model was shown at each call.

    The page holds everything it needs and asks the network for nothing.
    """
    from rich.console import Console  # noqa: PLC0415 - loaded when used
    from rich.progress import track  # noqa: PLC0415

    from context_strategies.compare import inputs  # noqa: PLC0415
    from context_strategies.compare.report import html_of, page_of, places, viewer_of  # noqa: PLC0415
    from context_strategies.compare.work import Plan  # noqa: PLC0415
    from context_strategies.tokens import best_counter  # noqa: PLC0415

    counter = best_counter()
    chosen = inputs.choices(strategy, inputs.RECOMMENDED)
    markets = inputs.markets(model, cache, prices)
    try:
        found = places.places(paths)
        comparison, refused = places.compared(found)
    except ValueError as error:
        inputs.stop(str(error))
    for refusal in refused:
        inputs.warn(str(refusal))
    folders = places.runs_in(found)
    plan = Plan(tuple(chosen), tuple(markets), "recorded")
    done = inputs.evaluated(folders, plan, inputs.engine(engine, jobs, timeout), keep=True)
    err = Console(stderr=True)
    sources = track(inputs.sources(folders), "writing", console=err, transient=True, disable=not err.is_terminal)
    viewer = viewer_of(places.recordings(sources), chosen, markets[0], counter, largest * 1_000_000)
    page = page_of(
        done.rows, viewer, counter, checks=done.checks, refusals=[*refused, *done.refusals], comparison=comparison
    )
    text = html_of(page)
    inputs.write(out, text)
    typer.echo(f"{out}: {len(viewer.runs)} runs in the viewer, {len(text.encode()) / 1e6:.1f} MB")
    inputs.finish(done, failed=bool(refused))
