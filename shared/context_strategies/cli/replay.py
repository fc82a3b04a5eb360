"""Recorded runs under strategies: replay, tune and profile."""

import json
import sys
from functools import partial

import typer

from context_strategies.cli.options import (
    CacheOption,
    Csv,
    EngineOption,
    FailOn,
    FailOver,
    Fresh,
    Jobs,
    Json,
    Model,
    Models,
    Out,
    Paths,
    PricesFile,
    RecordedOption,
    Strategies,
    Timeout,
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
    fresh: Fresh = False,  # noqa: FBT002
    jobs: Jobs = None,
    engine: EngineOption = "local",
    timeout: Timeout = 600,
) -> None:
    """Recorded runs under every strategy: tokens, context sizes and cost, against the raw agent."""
    from context_strategies.compare import inputs, recorded, show  # noqa: PLC0415 - loaded when used
    from context_strategies.compare.work import Plan  # noqa: PLC0415
    from context_strategies.tokens import best_counter  # noqa: PLC0415

    counter = best_counter().name
    plan = Plan(tuple(inputs.choices(strategy)), tuple(inputs.markets(model, cache, prices)), "recorded")
    by = inputs.engine(engine, jobs, timeout)
    store = inputs.store(out, fresh=fresh) if out or as_json else None
    done = inputs.evaluated(paths, plan, by, store)
    write = partial(show.write_json, checks=done.checks, refusals=done.refusals, counter=counter)
    if out and store:
        with inputs.writing(out / "replay.json"), (out / "replay.json").open("w", encoding="utf-8") as file:
            write(file, done.blocks, store.rows, indent=1)
        inputs.write(out / "replay.csv", show.as_csv(done.blocks.values()))
    if as_json and store:
        write(sys.stdout, done.blocks, store.rows)
        typer.echo()
    elif as_csv:
        typer.echo(show.as_csv(done.blocks.values()), nl=False)
    else:
        show.print_tables(show.console(), done.blocks.values(), counter)
        if with_recorded:
            recorded.print_recorded(show.console(), done.checks, counter)
    inputs.finish(done)


def tune(  # noqa: PLR0913, PLR0917 - one parameter an option
    paths: Paths,
    model: Model = "",
    cache: CacheOption = "auto",
    prices: PricesFile = None,
    as_json: Json = False,  # noqa: FBT002 - a flag on a command line
    jobs: Jobs = None,
    engine: EngineOption = "local",
    timeout: Timeout = 600,
) -> None:
    """Try a grid of strategies and numbers on your own runs: what costs least for what it shows, and the config
    lines.
    """
    from context_strategies.compare import inputs, show, tune  # noqa: PLC0415 - loaded when used
    from context_strategies.compare.work import Plan  # noqa: PLC0415
    from context_strategies.tokens import best_counter  # noqa: PLC0415

    counter = best_counter().name
    plan = Plan(tuple(tune.grid()), tuple(inputs.markets([model], cache, prices)))
    done = inputs.evaluated(paths, plan, inputs.engine(engine, jobs, timeout))
    (block,) = done.blocks.values()
    points = tune.tuned(block.rows())
    caption = show.caption_of(block, counter)
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
    jobs: Jobs = None,
    engine: EngineOption = "local",
    timeout: Timeout = 600,
) -> None:
    """How the contexts of recorded runs grow, what is read again and again, and from which call each strategy pays."""
    from context_strategies.compare import inputs, profile_show, show  # noqa: PLC0415 - loaded when used
    from context_strategies.compare.profile import failures  # noqa: PLC0415
    from context_strategies.compare.work import Plan  # noqa: PLC0415
    from context_strategies.tokens import best_counter  # noqa: PLC0415

    shape = inputs.shape(fail_on)
    counter = best_counter().name
    chosen = inputs.choices(strategy, inputs.RECOMMENDED)
    plan = Plan(tuple(chosen), tuple(inputs.markets([model], cache, prices)), "profile")
    done = inputs.evaluated(paths, plan, inputs.engine(engine, jobs, timeout), keep=True)
    failed = list(failures(done.profiles, shape, fail_over))
    if as_json:
        document = profile_show.as_json(done.profiles, done.rows, counter, failed, done.refusals)
        typer.echo(json.dumps(document))
    else:
        profile_show.print_profile(show.console(), done.profiles, done.rows, counter)
    for line in failed:
        inputs.warn(line)
    inputs.finish(done, failed=bool(failed))
