"""What was recorded beside what is predicted: the check on prices and on the counting of tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from context_strategies.catalogue import Entry, prices_of
from context_strategies.compare.evaluate import Market
from context_strategies.replay import Weighed, replay
from context_strategies.strategies import Raw
from context_strategies.terms import terms_for
from context_strategies.trajectories import Trajectory


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run's recorded cost in US dollars; what its recorded usage costs at our prices; and what is predicted for its
    whole history, by counted tokens and the cache model. None where there is nothing to go by.
    """

    source: str
    id: str
    model: str
    condensed: bool
    cost: float
    by_usage: float | None
    predicted: float | None


def recorded(run: Weighed, own: Mapping[str, Entry] | None = None) -> Recorded | None:
    """The comparison for ``run``, None if no cost was recorded."""
    trajectory = run.trajectory
    if not trajectory.cost:
        return None
    prices = prices_of(trajectory.model, own) if trajectory.model else None
    if prices is None or prices.assumed:
        return _of(trajectory, None, None)
    usages = [call.usage for call in (*trajectory.calls, *trajectory.side_calls)]
    by_usage = sum(prices.price(usage) for usage in usages if usage) if all(usages) and usages else None
    market = Market(trajectory.model, own=own)
    raw = Raw()
    predicted = replay(run, raw, terms_for(raw, prices), market.meter(prices), prices=prices).cost
    return _of(trajectory, by_usage, predicted)


def _of(run: Trajectory, by_usage: float | None, predicted: float | None) -> Recorded:
    return Recorded(run.source, run.id, run.model, run.condensed, run.cost or 0.0, by_usage, predicted)


def print_recorded(console: Console, found: Sequence[Recorded], counter: str) -> None:
    """A line a run: the three costs, and how far the other two are from the recorded one."""
    if not found:
        return
    caption = f"tokens: {counter}; * the scaffold had edited its requests, so that its history predicts another cost"
    table = Table(
        title="Recorded cost, its usage at our prices, and the prediction for the raw history", caption=caption
    )
    for name in ("run", "model", "recorded", "by usage", "difference", "predicted", "difference"):
        table.add_column(name, justify="left" if name in {"run", "model"} else "right")
    for run in found:
        mark = "*" if run.condensed else ""
        table.add_row(
            escape(run.id) + mark,
            escape(run.model) or "not recorded",
            f"${run.cost:.4f}",
            *_beside(run.by_usage, run.cost),
            *_beside(run.predicted, run.cost),
        )
    console.print(table)


def _beside(cost: float | None, recorded_cost: float) -> tuple[str, str]:
    return ("-", "-") if cost is None else (f"${cost:.4f}", f"{cost / recorded_cost - 1:+.1%}")
