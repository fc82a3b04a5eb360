"""A check for tests that record a run of an agent: its context grew no worse than it may."""

from os import PathLike
from pathlib import Path

from context_strategies.cache import Automatic
from context_strategies.growth import Growth, Shape, growth_of
from context_strategies.prices import relative
from context_strategies.replay import replay, weigh
from context_strategies.strategies import choose
from context_strategies.terms import terms_for
from context_strategies.tokens import best_counter
from context_strategies.trajectories import Refusal, Trajectory, read


def assert_growth(
    path: str | PathLike[str], at_most: str = "linear", *, max_tokens: int | None = None, strategy: str = "raw"
) -> list[Growth]:
    """Assert that no run recorded under ``path`` grows worse than ``at_most`` (``flat``, ``linear``, ``accelerating``,
    ``exponential``), or makes a request of more than ``max_tokens``; and return how each grows.

    Requests are those of the whole recorded history, or what ``strategy`` makes of it at the assumed prices. Raises
    AssertionError, with a line for each run that fails and each file that can't be read; ValueError for an unknown
    ``at_most``, ConfigError for an unknown strategy.
    """
    limit = Shape(at_most)
    problems, grown = [], []
    for run in read([Path(path)]):
        if isinstance(run, Refusal) or not run.calls:
            problems.append(str(run) if isinstance(run, Refusal) else f"{run.source}: no call of a model in it")
            continue
        sizes = _requests(run, strategy)
        growth = growth_of(sizes)
        grown.append(growth)
        if growth.shape.rank > limit.rank:
            problems.append(f"{run.source}: {growth.shape} growth, {growth.per_step:,.0f} tokens a step")
        if max_tokens is not None and max(sizes) > max_tokens:
            problems.append(f"{run.source}: largest request of {max(sizes):,} tokens, over {max_tokens:,}")
    if not grown and not problems:
        problems.append(f"{path}: no recorded run")
    if problems:
        raise AssertionError("\n".join(problems))
    return grown


def _requests(run: Trajectory, spec: str) -> list[int]:
    """Tokens of each request under a strategy."""
    strategy, prices = choose(spec), relative()
    done = replay(weigh(run, best_counter()), strategy, terms_for(strategy, prices), lambda: Automatic(prices))
    return [call.usage.prompt for call in done.calls]
