"""The command line. Commands load what they need when they run, so that --help is quick."""

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

try:
    import typer
    from rich.console import Console
except ImportError:
    raise SystemExit("context-strategies: the command line needs: pip install 'context-strategies[compare]'") from None

if TYPE_CHECKING:
    from context_strategies.compare.evaluate import Choice, Market, Result
    from context_strategies.compare.recorded import Recorded
    from context_strategies.tokens import Counter
    from context_strategies.trajectories import Refusal, Source

SOME_FAILED, USAGE = 1, 2
PAPER = "masking:refresh=1"

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
    from context_strategies.compare import recorded, show  # noqa: PLC0415 - loaded when used
    from context_strategies.tokens import best_counter  # noqa: PLC0415

    counter = best_counter()
    choices = _choices(strategy)
    markets = _markets(model, cache, prices)
    done = _evaluated(_found(paths), choices, markets, counter)
    document = show.as_json(done.results, done.checks, done.refusals, counter.name)
    if out is not None:
        _write(out / "replay.json", json.dumps(document, indent=1))
        _write(out / "replay.csv", show.as_csv(done.results))
    if as_json:
        typer.echo(json.dumps(document))
    elif as_csv:
        typer.echo(show.as_csv(done.results), nl=False)
    else:
        show.print_tables(show.console(), done.results, counter.name)
        if with_recorded:
            recorded.print_recorded(show.console(), done.checks, counter.name)
    _finish(done)


@app.command()
def tune(
    paths: Paths,
    model: Annotated[str, typer.Option("--model", help="Bill at this model's prices.")] = "",
    cache: CacheOption = "auto",
    prices: PricesFile = None,
    as_json: Json = False,  # noqa: FBT002 - a flag on a command line
) -> None:
    """Try a grid of strategies and numbers on your own runs: what costs least for what it shows, and the config
    lines.
    """
    from context_strategies.compare import show, tune  # noqa: PLC0415 - loaded when used
    from context_strategies.compare.rows import rows_of  # noqa: PLC0415
    from context_strategies.tokens import best_counter  # noqa: PLC0415

    counter = best_counter()
    markets = _markets([model], cache, prices)
    done = _evaluated(_found(paths), list(tune.grid()), markets, counter)
    points = tune.tuned(rows_of(done.results))
    caption = show.caption(done.results, counter.name)
    if as_json:
        typer.echo(json.dumps(tune.as_json(points, caption)))
    else:
        tune.print_frontier(show.console(), points, caption)
        show.console().print(show.CAUTION, style="dim")
    _finish(done)


@app.command()
def strategies(as_json: Json = False) -> None:  # noqa: FBT002 - a flag on a command line
    """The menu: every strategy with its fields and defaults."""
    from context_strategies.compare import menu  # noqa: PLC0415 - loaded when used

    if as_json:
        typer.echo(json.dumps(menu.as_json()))
    else:
        menu.print_menu(Console())


def _choices(specs: list[str] | None) -> "list[Choice]":
    """The strategies asked for (by default all, and the paper's masking), with raw first as the baseline."""
    from context_strategies.compare.evaluate import Choice  # noqa: PLC0415
    from context_strategies.errors import ConfigError  # noqa: PLC0415
    from context_strategies.strategies import choose, strategy_classes  # noqa: PLC0415

    names = specs or [
        name for known in strategy_classes() for name in ([PAPER, known] if known == "masking" else [known])
    ]
    try:
        return [Choice(name, choose(name)) for name in dict.fromkeys(["raw", *names])]
    except ConfigError as error:
        _stop(str(error))


def _markets(models: list[str] | None, cache: str, prices: Path | None) -> "list[Market]":
    from context_strategies.catalogue import read_prices  # noqa: PLC0415
    from context_strategies.compare.evaluate import CACHES, RECORDED, Market  # noqa: PLC0415
    from context_strategies.errors import ConfigError  # noqa: PLC0415

    if cache not in CACHES:
        _stop(f"--cache {cache}: choose one of: {', '.join(CACHES)}")
    try:
        own = read_prices(prices) if prices else None
    except ConfigError as error:
        _stop(str(error))
    markets = [Market(name, cache, own) for name in dict.fromkeys(models or [""])]
    for market in markets:
        if market.model not in {"", RECORDED} and market.prices_of(market.model).assumed:
            _warn(
                f"{market.model}: no known prices; using {market.prices_of(market.model).model}. {market.suggestion()}"
            )
    return markets


def _found(paths: list[Path]) -> "list[Source | Refusal]":
    from context_strategies.trajectories import find  # noqa: PLC0415

    missing = [path for path in paths if not path.exists()]
    if missing:
        _stop(f"{missing[0]}: no such file or folder")
    return find(paths)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a command has found out: every replay, recorded costs beside predicted ones, and what could not be read."""

    results: "list[Result]" = field(default_factory=list)
    checks: "list[Recorded]" = field(default_factory=list)
    refusals: "list[Refusal]" = field(default_factory=list)


def _evaluated(
    sources: "list[Source | Refusal]", choices: "list[Choice]", markets: "list[Market]", counter: "Counter"
) -> Evaluation:
    """Every run replayed, with a progress bar on standard error; refusals are said as they come."""
    from rich.progress import track  # noqa: PLC0415

    from context_strategies.compare.evaluate import evaluate  # noqa: PLC0415
    from context_strategies.compare.recorded import recorded  # noqa: PLC0415
    from context_strategies.replay import weigh, with_knowledge  # noqa: PLC0415
    from context_strategies.trajectories import Refusal, load  # noqa: PLC0415

    done = Evaluation()
    err = Console(stderr=True)
    for source in track(sources, "replaying", console=err, transient=True, disable=not err.is_terminal):
        for item in load(source):
            run = (
                Refusal(item.source, "no call of a model in it")
                if not isinstance(item, Refusal) and not item.calls
                else item
            )
            if isinstance(run, Refusal):
                done.refusals.append(run)
                _warn(str(run))
                continue
            weighed = with_knowledge(weigh(run, counter))
            done.results.extend(result for market in markets for result in evaluate(weighed, choices, market))
            check = recorded(weighed, markets[0].own)
            done.checks.extend([check] if check else [])
    if not done.results:
        _stop("nothing to replay: no recorded run was found")
    return done


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        _stop(f"{path}: can't be written: {error.strerror}")


def _warn(line: str) -> None:
    sys.stderr.write(line.encode("utf-8", "replace").decode() + "\n")


def _stop(line: str) -> NoReturn:
    _warn(f"context-strategies: {line}")
    raise typer.Exit(USAGE)


def _finish(done: Evaluation) -> None:
    if done.refusals:
        raise typer.Exit(SOME_FAILED)


def main() -> None:
    """The console script."""
    app()
