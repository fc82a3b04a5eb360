"""What every command does with its arguments: strategies, prices, recorded runs; and how it ends."""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import typer
from rich.console import Console
from rich.progress import track

from context_strategies.catalogue import read_prices
from context_strategies.compare.closed_forms import Sizes
from context_strategies.compare.estimate import outputs_of
from context_strategies.compare.evaluate import CACHES, RECORDED, Choice, Market, Result, evaluate
from context_strategies.compare.recorded import Recorded, recorded
from context_strategies.errors import ConfigError
from context_strategies.growth import Shape
from context_strategies.replay import weigh, with_knowledge
from context_strategies.strategies import choose, strategy_classes
from context_strategies.tokens import Counter
from context_strategies.trajectories import Refusal, Source, find, load

SOME_FAILED, USAGE = 1, 2
PAPER = "masking:refresh=1"
RECOMMENDED = "masking:window=1,refresh=1,keep_facts=40"


def choices(specs: list[str] | None, *more: str) -> list[Choice]:
    """The strategies asked for (by default all, the paper's masking, and ``more``), with raw first as the baseline."""
    names = specs or [
        *(name for known in strategy_classes() for name in ([PAPER, known] if known == "masking" else [known])),
        *more,
    ]
    try:
        return [Choice(name, choose(name)) for name in dict.fromkeys(["raw", *names])]
    except ConfigError as error:
        stop(str(error))


def markets(models: list[str] | None, cache: str, prices: Path | None) -> list[Market]:
    """Where each model's prices apply; says which models have none."""
    if cache not in CACHES:
        stop(f"--cache {cache}: choose one of: {', '.join(CACHES)}")
    try:
        own = read_prices(prices) if prices else None
    except ConfigError as error:
        stop(str(error))
    found = [Market(name, cache, own) for name in dict.fromkeys(models or [""])]
    for market in found:
        if market.model not in {"", RECORDED} and market.prices_of(market.model).assumed:
            warn(
                f"{market.model}: no known prices; using {market.prices_of(market.model).model}. {market.suggestion()}"
            )
    return found


def sources(paths: list[Path]) -> list[Source | Refusal]:
    """What there is to read under ``paths``, all of which must exist."""
    missing = [path for path in paths if not path.exists()]
    if missing:
        stop(f"{missing[0]}: no such file or folder")
    return find(paths)


def shape(name: str) -> Shape | None:
    """The growth called ``name``, None for an empty one."""
    known = [str(one) for one in Shape if one is not Shape.FLAT]
    if name and name not in known:
        stop(f"--fail-on {name}: choose one of: {', '.join(known)}")
    return Shape(name) if name else None


def sizes(steps: int, output: str, base: int, action: int) -> Sizes:
    """A run's sizes in tokens, as :func:`outputs_of` reads ``output``."""
    try:
        return Sizes(base, action, outputs_of(output, steps))
    except ConfigError as error:
        stop(str(error))


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a command has found out: every replay, recorded costs beside predicted ones, and what could not be read."""

    results: list[Result] = field(default_factory=list)
    checks: list[Recorded] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)


def evaluated(paths: list[Path], chosen: list[Choice], places: list[Market], counter: Counter) -> Evaluation:
    """Every run replayed, with a progress bar on standard error; refusals are said as they come."""
    done = Evaluation()
    err = Console(stderr=True)
    for source in track(sources(paths), "replaying", console=err, transient=True, disable=not err.is_terminal):
        for item in load(source):
            run = (
                Refusal(item.source, "no call of a model in it")
                if not isinstance(item, Refusal) and not item.calls
                else item
            )
            if isinstance(run, Refusal):
                done.refusals.append(run)
                warn(str(run))
                continue
            weighed = with_knowledge(weigh(run, counter))
            done.results.extend(result for market in places for result in evaluate(weighed, chosen, market))
            check = recorded(weighed, places[0].own)
            done.checks.extend([check] if check else [])
    if not done.results:
        stop("nothing to replay: no recorded run was found")
    return done


def write(path: Path, text: str) -> None:
    """Write ``text``, or stop."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        stop(f"{path}: can't be written: {error.strerror}")


def warn(line: str) -> None:
    """One line on standard error, which recorded text can't break."""
    sys.stderr.write(line.encode("utf-8", "replace").decode() + "\n")


def stop(line: str) -> NoReturn:
    """End: nothing could be done."""
    warn(f"context-strategies: {line}")
    raise typer.Exit(USAGE)


def finish(done: Evaluation, *, failed: bool = False) -> None:
    """End, by exit code 1 where a check has failed, or some of the input could not be read."""
    if failed or done.refusals:
        raise typer.Exit(SOME_FAILED)
