"""Recorded runs under strategies: replay, tune and profile."""

import json

import typer

from context_strategies.cli.options import (
    CacheOption,
    Csv,
    FailOn,
    FailOver,
    Json,
    Model,
    Models,
    Out,
    Paths,
    PricesFile,
    RecordedOption,
    Strategies,
)


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
