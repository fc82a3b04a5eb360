"""What every command does with its arguments: strategies, prices, recorded runs; and how it ends."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import NoReturn

import typer
from rich.console import Console
from rich.progress import track

from context_strategies.catalogue import read_prices
from context_strategies.compare.closed_forms import Sizes
from context_strategies.compare.engine import SECONDS, Engine, engine_of
from context_strategies.compare.estimate import outputs_of
from context_strategies.compare.evaluate import CACHES, RECORDED, Choice, Market
from context_strategies.compare.profile import Profile
from context_strategies.compare.recorded import Recorded
from context_strategies.compare.rows import Block
from context_strategies.compare.run_rows import RunRow
from context_strategies.compare.store import Store, replayed
from context_strategies.compare.work import Plan, Replayed
from context_strategies.errors import ConfigError
from context_strategies.growth import Shape
from context_strategies.strategies import choose, strategy_classes
from context_strategies.trajectories import Refusal, Source, find

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


@dataclass(slots=True)
class Evaluation:
    """What a command has found out: totals by market, what comes of each run besides, and what could not be read;
    ``rows`` where it wants them all in memory.
    """

    blocks: dict[str, Block] = field(default_factory=dict)
    rows: list[RunRow] = field(default_factory=list)
    checks: list[Recorded] = field(default_factory=list)
    profiles: list[Profile] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)

    def add(self, done: Replayed) -> None:
        """What came of one more source, but for its rows, which are summed up."""
        for (market, *_), rows in groupby(done.rows, lambda row: (row.market, row.source, row.id)):
            self.blocks.setdefault(market, Block()).add(list(rows))
        self.checks += done.checks
        self.profiles += done.profiles
        self.refusals += done.refusals


def evaluated(
    paths: list[Path], plan: Plan, by: Engine, store: Store | None = None, *, keep: bool = False
) -> Evaluation:
    """Every run replayed, with a progress bar on standard error; refusals are said as they come. ``keep`` says that the
    rows are to be kept in memory.
    """
    done = Evaluation()
    found = sources(paths)
    err = Console(stderr=True)
    bar = partial(track, description="replaying", console=err, transient=True, disable=not err.is_terminal)
    try:
        for one in bar(replayed(plan, found, by, store, warn), total=len(found)):
            for refusal in one.refusals:
                warn(str(refusal))
            done.add(one)
            done.rows += one.rows if keep else []
    except (ConfigError, OSError) as error:  # a full disk, say
        stop(str(error))
    except KeyboardInterrupt:
        if store and store.path:
            warn(f"{store.path}: holds what was done; the same command goes on from there")
        raise
    if not done.blocks:
        stop("nothing to replay: no recorded run was found")
    return done


def engine(name: str = "local", jobs: int | None = None, seconds: float = SECONDS) -> Engine:
    """The engine called ``name``, with the limits that the command line has."""
    try:
        return engine_of(name, jobs, seconds)
    except ConfigError as error:
        stop(str(error))


def store(folder: Path | None, *, fresh: bool) -> Store:
    """What is kept in ``folder``, nothing if it is to be ``fresh``; without a folder, a store for the time being."""
    path = folder / "runs.jsonl" if folder else None
    with writing(path or Path("a temporary file")):
        if path and fresh:
            path.unlink(missing_ok=True)
        try:
            return Store(path)
        except ConfigError as error:
            stop(str(error))


def write(path: Path, text: str) -> None:
    """Write ``text``, or stop."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Stop where ``path`` can't be written."""
    try:
        yield
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
