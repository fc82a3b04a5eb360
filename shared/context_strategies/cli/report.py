"""One HTML page of everything: tables, figures, and a viewer of what the model was shown."""

from pathlib import Path
from typing import Annotated

import typer

from context_strategies.cli.ends import warn
from context_strategies.cli.options import CacheOption, EngineOption, Jobs, Models, PricesFile, Strategies, Timeout
from context_strategies.compare.writing import write

Places = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH...",
        help="Recorded runs: files, or folders with all in them. LABEL=PATH, with several labels, or the folder of an "
        "experiment: these are compared as well.",
    ),
]
Html = Annotated[Path, typer.Option("--out", metavar="FILE", help="Where to write the page.")]
Largest = Annotated[
    int, typer.Option("--largest", min=0, metavar="MB", help="Most megabytes of runs in the viewer; 0: none.")
]


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
    from context_strategies.cli import inputs  # noqa: PLC0415 - loaded when used
    from context_strategies.compare.engine import engine_of  # noqa: PLC0415
    from context_strategies.compare.report import build, gathered, page, places  # noqa: PLC0415
    from context_strategies.compare.work import Plan  # noqa: PLC0415
    from context_strategies.tokens import best_counter  # noqa: PLC0415

    chosen, markets = inputs.choices(strategy, inputs.RECOMMENDED), inputs.markets(model, cache, prices)
    found = places.places(paths)
    for refusal in found.refusals:
        warn(str(refusal))
    plan = Plan(tuple(chosen), tuple(markets), "viewer" if largest else "recorded")
    kept = gathered.Gathered(markets[0].model, gathered.Viewer(largest * 1_000_000))
    done = inputs.evaluated(found.recordings, plan, engine_of(engine, jobs, timeout), keep=kept.add)
    refusals = [*found.refusals, *done.refusals]
    whole = build.page_of(
        done.blocks, kept, best_counter().name, checks=done.checks, refusals=refusals, comparison=found.comparison
    )
    text = page.html_of(whole)
    write(out, text)
    typer.echo(f"{out}: {len(kept.viewer.runs)} runs in the viewer, {len(text.encode()) / 1e6:.1f} MB")
    inputs.finish(done, failed=bool(found.refusals))
