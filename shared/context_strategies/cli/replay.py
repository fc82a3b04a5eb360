"""Recorded runs under strategies: replay, tune and profile."""

import json
import sys

import typer

from context_strategies.cli.ends import warn
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
    from context_strategies.cli import inputs  # noqa: PLC0415 - loaded when used
    from context_strategies.compare import recorded, show, work  # noqa: PLC0415
    from context_strategies.compare.engine import engine_of  # noqa: PLC0415
    from context_strategies.tokens import best_counter  # noqa: PLC0415

    counter = best_counter().name
    chosen, markets = inputs.choices(strategy), inputs.markets(model, cache, prices)
    by = engine_of(engine, jobs, timeout)
    store = inputs.store(out, fresh=fresh) if out or as_json else None
    plan = work.Plan(tuple(chosen), tuple(markets), "recorded" if store or with_recorded else "")
    done = inputs.evaluated(paths, plan, by, store)
    document = show.Document(counter, done.blocks, store.rows, done.checks, done.refusals) if store else None
    if out and document:
        document.write_files(out)
    if as_json and document:
        document.write(sys.stdout)
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
    from context_strategies.cli import inputs  # noqa: PLC0415 - loaded when used
    from context_strategies.compare import show, tune  # noqa: PLC0415
    from context_strategies.compare.engine import engine_of  # noqa: PLC0415
    from context_strategies.compare.work import Plan  # noqa: PLC0415
    from context_strategies.tokens import best_counter  # noqa: PLC0415

    counter = best_counter().name
    plan = Plan(tuple(tune.grid()), tuple(inputs.markets([model], cache, prices)))
    done = inputs.evaluated(paths, plan, engine_of(engine, jobs, timeout))
    (block,) = done.blocks.values()
    rows, caption = block.rows(), show.caption_of(block, counter)
    if as_json:
        typer.echo(json.dumps(tune.as_json(rows, caption)))
    else:
        tune.print_frontier(show.console(), rows, caption)
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
    from context_strategies.cli import inputs  # noqa: PLC0415 - loaded when used
    from context_strategies.compare import profile_show, show  # noqa: PLC0415
    from context_strategies.compare.engine import engine_of  # noqa: PLC0415
    from context_strategies.compare.profile import failures  # noqa: PLC0415
    from context_strategies.compare.work import Plan  # noqa: PLC0415
    from context_strategies.tokens import best_counter  # noqa: PLC0415

    shape = inputs.shape(fail_on)
    counter = best_counter().name
    chosen = inputs.choices(strategy, inputs.RECOMMENDED)
    plan = Plan(tuple(chosen), tuple(inputs.markets([model], cache, prices)), "profile")
    done = inputs.evaluated(paths, plan, engine_of(engine, jobs, timeout))
    (block,) = done.blocks.values()
    failed = list(failures(done.profiles, shape, fail_over))
    if as_json:
        document = profile_show.as_json(done.profiles, block, counter, failed, done.refusals)
        typer.echo(json.dumps(document))
    else:
        profile_show.print_profile(show.console(), done.profiles, block, counter)
    for line in failed:
        warn(line)
    inputs.finish(done, failed=bool(failed))
