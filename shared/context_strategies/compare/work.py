"""What is done with one recorded file or folder, wherever it is done: every run in it replayed, and made small."""

from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from context_strategies.compare.evaluate import Choice, Market, evaluate
from context_strategies.compare.profile import Profile, profiles_of
from context_strategies.compare.recorded import Recorded, recorded
from context_strategies.compare.run_rows import RunRow, run_row
from context_strategies.fields import reason
from context_strategies.replay import weigh, with_knowledge
from context_strategies.tokens import Counter, best_counter
from context_strategies.trajectories import Refusal, Source, Trajectory, load


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked of every source: its runs under each of ``choices`` in each of ``markets``; and ``more``: the
    recorded costs beside predicted ones, or each run's profile in the first market.
    """

    choices: tuple[Choice, ...]
    markets: tuple[Market, ...]
    more: Literal["", "recorded", "profile"] = ""


@dataclass(slots=True)
class Replayed:
    """What came of one source. ``rows`` are in order of runs, then markets, then choices. ``failed``: something was
    refused for a reason that lies in this computer or program, and not in the source.
    """

    rows: list[RunRow] = field(default_factory=list)
    checks: list[Recorded] = field(default_factory=list)
    profiles: list[Profile] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    failed: bool = False


def built() -> tuple[str, str]:
    """What results depend on besides source and plan: this package's version (none in a bare checkout), and how tokens
    are counted.
    """
    try:
        number = version("context-strategies")
    except PackageNotFoundError:
        number = "no version"
    return number, best_counter().name


def failure(source: Source, why: str) -> Replayed:
    """What comes of a source whose worker is gone."""
    return Replayed(refusals=[Refusal(str(source.path), why)], failed=True)


def work(plan: Plan, source: Source) -> Replayed:
    """Every run of ``source``, one at a time: what is kept of it does not grow with its calls."""
    counter = best_counter()  # anew for each source, since it remembers short texts
    done = Replayed()
    for item in load(source):
        if isinstance(item, Refusal):
            done.refusals.append(item)
        elif not item.calls:
            done.refusals.append(Refusal(item.source, "no call of a model in it"))
        else:
            try:
                _replay(plan, item, counter, done)
            except Exception as error:  # noqa: BLE001 - one run among thousands must not cost the others
                why = f"can't be replayed: {type(error).__name__}: {reason(error)}"
                done.refusals.append(Refusal(item.source, why))
                done.failed = True
    return done


def _replay(plan: Plan, run: Trajectory, counter: Counter, done: Replayed) -> None:
    """Add to ``done`` what comes of ``run``, all or nothing."""
    weighed = with_knowledge(weigh(run, counter))
    if plan.more == "profile":
        results = list(evaluate(weighed, plan.choices, plan.markets[0]))
        done.profiles += profiles_of(results, counter)
        done.rows += map(run_row, results)
        return
    rows = [run_row(result) for market in plan.markets for result in evaluate(weighed, plan.choices, market)]
    check = recorded(weighed, plan.markets[0].own) if plan.more == "recorded" else None
    done.rows += rows
    done.checks += [check] if check else []
