"""What every command does with its arguments: strategies, prices, recorded runs. What is wrong is a ConfigError."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import track

from context_strategies.catalogue import read_prices
from context_strategies.cli.ends import SOME_FAILED, warn
from context_strategies.cli.sources import sources
from context_strategies.compare.engine import Engine
from context_strategies.compare.evaluate import CACHES, RECORDED, Choice, Market
from context_strategies.compare.profile import Profile
from context_strategies.compare.recorded import Recorded
from context_strategies.compare.rows import Block
from context_strategies.compare.run_rows import by_run
from context_strategies.compare.store import Store, replayed
from context_strategies.compare.work import Plan, Replayed
from context_strategies.errors import ConfigError
from context_strategies.fields import reason
from context_strategies.growth import Shape
from context_strategies.strategies import choose, strategy_classes
from context_strategies.trajectories import Refusal

PAPER = "masking:refresh=1"
RECOMMENDED = "masking:window=1,refresh=1,keep_facts=40"


def choices(specs: list[str] | None, *more: str) -> list[Choice]:
    """The strategies asked for (by default all, the paper's masking, and ``more``), with raw first as the baseline."""
    names = specs or [
        *(name for known in strategy_classes() for name in ([PAPER, known] if known == "masking" else [known])),
        *more,
    ]
    return [Choice(name, choose(name)) for name in dict.fromkeys(["raw", *names])]


def markets(models: list[str] | None, cache: str, prices: Path | None) -> list[Market]:
    """Where each model's prices apply; says which models have none."""
    if cache not in CACHES:
        raise ConfigError(f"--cache {cache}: choose one of: {', '.join(CACHES)}")
    own = read_prices(prices) if prices else None
    found = [Market(name, cache, own) for name in dict.fromkeys(models or [""])]
    for market in found:
        if market.model not in {"", RECORDED} and market.prices_of(market.model).assumed:
            warn(
                f"{market.model}: no known prices; using {market.prices_of(market.model).model}. {market.suggestion()}"
            )
    return found


def shape(name: str) -> Shape | None:
    """The growth called ``name``, None for an empty one."""
    known = [str(one) for one in Shape if one is not Shape.FLAT]
    if name and name not in known:
        raise ConfigError(f"--fail-on {name}: choose one of: {', '.join(known)}")
    return Shape(name) if name else None


def store(folder: Path | None, *, fresh: bool) -> Store:
    """What is kept in ``folder``, nothing if it is to be ``fresh``; without a folder, a store for the time being."""
    return Store(folder / "runs.jsonl" if folder else None, fresh=fresh)


@dataclass(slots=True)
class Evaluation:
    """What a command has found out: totals by market, what comes of each run besides, and what could not be read."""

    blocks: dict[str, Block] = field(default_factory=dict)
    checks: list[Recorded] = field(default_factory=list)
    profiles: list[Profile] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)

    def add(self, done: Replayed) -> None:
        """What came of one more source, but for its rows, which are summed up, and what a page shows of its runs."""
        for run in by_run(done.rows):
            self.blocks.setdefault(run[0].market, Block()).add(run)
        self.checks += done.checks
        self.profiles += done.profiles
        self.refusals += done.refusals


def evaluated(
    paths: list[Path],
    plan: Plan,
    by: Engine,
    store: Store | None = None,
    *,
    keep: Callable[[Replayed], None] = lambda _: None,
) -> Evaluation:
    """Every run replayed, with a progress bar on standard error; refusals are said as they come. ``keep`` is
    given all that comes of each source, for what the evaluation leaves out. Afterwards ``store`` can only be read.
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
            keep(one)
    except OSError as error:  # no more processes, say
        raise ConfigError(f"can't go on: {reason(error)}") from error
    except KeyboardInterrupt:
        if store and store.path:
            warn(f"{store.path}: holds what was done; the same command goes on from there")
        raise
    finally:
        if store:
            store.release()
    if not done.blocks:
        raise ConfigError("nothing to replay: no recorded run was found")
    return done


def finish(done: Evaluation, *, failed: bool = False) -> None:
    """End, by exit code 1 where a check has failed, or some of the input could not be read."""
    if failed or done.refusals:
        raise typer.Exit(SOME_FAILED)
