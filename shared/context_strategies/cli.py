"""The command line. Commands load what they need when they run, so that --help is quick."""

import json
from pathlib import Path
from typing import Annotated

try:
    import typer
    from rich.console import Console
except ImportError:
    raise SystemExit("context-strategies: the command line needs: pip install 'context-strategies[compare]'") from None

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Context management for coding agents: replay recorded runs under any strategy and see what each would cost.",
)

Paths = Annotated[
    list[Path], typer.Argument(metavar="PATH...", help="Recorded runs: files, or folders with all in them.")
]
Strategies = Annotated[
    list[str] | None,
    typer.Option(
        "-s", "--strategy", help="masking, masking:window=20,refresh=5, module:Class, or a YAML file; repeat for more."
    ),
]
Model = Annotated[str, typer.Option("--model", help="Bill at this model's prices.")]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model", help="Bill at this model's prices; 'recorded': each run at its own model's. Repeat for more."
    ),
]
CacheOption = Annotated[str, typer.Option("--cache", help="Cache model: auto (by model), prefix, marked, none.")]
PricesFile = Annotated[Path | None, typer.Option("--prices", help="YAML file of your own prices, by model.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV.")]
RecordedOption = Annotated[
    bool, typer.Option("--recorded", help="Also show each run's recorded cost beside what is predicted for it.")
]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Also write replay.json and replay.csv there.")]


FailOn = Annotated[
    str,
    typer.Option(
        "--fail-on", metavar="SHAPE", help="Exit code 1 if a run grows so: linear, accelerating, exponential."
    ),
]
FailOver = Annotated[
    int | None, typer.Option("--fail-over", min=0, metavar="TOKENS", help="Exit code 1 if a request is larger.")
]


@app.callback()
def _root() -> None:
    """Without it, a single command would have no name."""


@app.command()
def replay(  # noqa: PLR0913, PLR0917 - one parameter an option
    paths: Paths,
    strategy: Strategies = None,
    model: Models = None,
    cache: CacheOption = "auto",
    prices: PricesFile = None,
    as_json: Json = False,  # noqa: FBT002 - a flag on a command line
    as_csv: Csv = False,  # noqa: FBT002
    out: Out = None,
    with_recorded: RecordedOption = False,  # noqa: FBT002
) -> None:
    """Recorded runs under every strategy: tokens, context sizes and cost, against the raw agent."""
    from context_strategies.compare import inputs, recorded, show  # noqa: PLC0415 - loaded when used
    from context_strategies.tokens import best_counter  # noqa: PLC0415

    counter = best_counter()
    markets = inputs.markets(model, cache, prices)
    done = inputs.evaluated(paths, inputs.choices(strategy), markets, counter)
    document = show.as_json(done.results, done.checks, done.refusals, counter.name)
    if out is not None:
        inputs.write(out / "replay.json", json.dumps(document, indent=1))
        inputs.write(out / "replay.csv", show.as_csv(done.results))
    if as_json:
        typer.echo(json.dumps(document))
    elif as_csv:
        typer.echo(show.as_csv(done.results), nl=False)
    else:
        show.print_tables(show.console(), done.results, counter.name)
        if with_recorded:
            recorded.print_recorded(show.console(), done.checks, counter.name)
    inputs.finish(done)


@app.command()
def tune(
    paths: Paths,
    model: Model = "",
    cache: CacheOption = "auto",
    prices: PricesFile = None,
    as_json: Json = False,  # noqa: FBT002 - a flag on a command line
) -> None:
    """Try a grid of strategies and numbers on your own runs: what costs least for what it shows, and the config
    lines.
    """
    from context_strategies.compare import inputs, show, tune  # noqa: PLC0415 - loaded when used
    from context_strategies.compare.rows import rows_of  # noqa: PLC0415
    from context_strategies.tokens import best_counter  # noqa: PLC0415

    counter = best_counter()
    markets = inputs.markets([model], cache, prices)
    done = inputs.evaluated(paths, list(tune.grid()), markets, counter)
    points = tune.tuned(rows_of(done.results))
    caption = show.caption(done.results, counter.name)
    if as_json:
        typer.echo(json.dumps(tune.as_json(points, caption)))
    else:
        tune.print_frontier(show.console(), points, caption)
        show.console().print(show.CAUTION, style="dim")
    inputs.finish(done)


@app.command()
def profile(  # noqa: PLR0913, PLR0917 - one parameter an option
    paths: Paths,
    strategy: Strategies = None,
    model: Model = "",
    cache: CacheOption = "auto",
    prices: PricesFile = None,
    fail_on: FailOn = "",
    fail_over: FailOver = None,
    as_json: Json = False,  # noqa: FBT002 - a flag on a command line
) -> None:
    """How the contexts of recorded runs grow, what is read again and again, and from which call each strategy pays."""
    from context_strategies.compare import inputs, profile_show, show  # noqa: PLC0415 - loaded when used
    from context_strategies.compare.profile import failures, profiles_of  # noqa: PLC0415
    from context_strategies.tokens import best_counter  # noqa: PLC0415

    shape = inputs.shape(fail_on)
    counter = best_counter()
    markets = inputs.markets([model], cache, prices)
    done = inputs.evaluated(paths, inputs.choices(strategy, inputs.RECOMMENDED), markets, counter)
    profiles = profiles_of(done.results, counter)
    failed = list(failures(profiles, shape, fail_over))
    if as_json:
        typer.echo(json.dumps(profile_show.as_json(profiles, done.results, counter.name, failed, done.refusals)))
    else:
        profile_show.print_profile(show.console(), profiles, done.results, counter.name)
    for line in failed:
        inputs.warn(line)
    inputs.finish(done, failed=bool(failed))


@app.command()
def estimate(  # noqa: PLR0913, PLR0917 - one parameter an option
    steps: Annotated[int, typer.Option(min=1, help="Calls of the model.")],
    output: Annotated[str, typer.Option(help="Tokens of each tool output: 575, 200..1500, or 100,200,300.")] = "575",
    base: Annotated[int, typer.Option(min=0, help="Tokens of the system prompt and the task.")] = 2500,
    action: Annotated[int, typer.Option(min=0, help="Tokens of each answer, reasoning and calls.")] = 145,
    summary: Annotated[int, typer.Option(min=0, help="Tokens of each summary.")] = 450,
    strategy: Strategies = None,
    model: Model = "",
    cache: CacheOption = "auto",
    prices: PricesFile = None,
    as_json: Json = False,  # noqa: FBT002 - a flag on a command line
) -> None:
    """What a run of these sizes would cost under every strategy, and from which call each pays, before there is any."""
    from context_strategies.compare import estimate, inputs, show  # noqa: PLC0415 - loaded when used

    chosen = inputs.choices(strategy, inputs.RECOMMENDED)
    (market,) = inputs.markets([model], cache, prices)
    sizes = inputs.sizes(steps, output, base, action)
    results, found = estimate.estimated(sizes, chosen, market, summary)
    if as_json:
        typer.echo(json.dumps(estimate.as_json(sizes, results, found)))
    else:
        estimate.print_estimates(show.console(), sizes, results, found)


@app.command()
def strategies(as_json: Json = False) -> None:  # noqa: FBT002 - a flag on a command line
    """The menu: every strategy with its fields and defaults."""
    from context_strategies.compare import menu  # noqa: PLC0415 - loaded when used

    if as_json:
        typer.echo(json.dumps(menu.as_json()))
    else:
        menu.print_menu(Console())


def main() -> None:
    """The console script."""
    app()
