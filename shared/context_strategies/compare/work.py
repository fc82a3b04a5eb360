"""What is done with one recorded file or folder, wherever it is done: every run in it replayed, and made small."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from context_strategies.compare.evaluate import Choice, Market, Result, evaluate
from context_strategies.compare.profile import Profile, profile_of
from context_strategies.compare.recorded import Recorded, recorded
from context_strategies.compare.report.runs import Viewed, document, viewed
from context_strategies.compare.run_rows import RunRow, run_row
from context_strategies.fields import reason
from context_strategies.replay import Weighed, weigh, with_knowledge
from context_strategies.tokens import Counter, best_counter
from context_strategies.trajectories import Refusal, Source, Trajectory, load


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked of every source: its runs under each of ``choices`` in each of ``markets``; and ``more``: the
    recorded costs beside predicted ones; these, and what the report's viewer shows of each run; or each run's profile.
    The latter two are in the first market.
    """

    choices: tuple[Choice, ...]
    markets: tuple[Market, ...]
    more: Literal["", "recorded", "viewer", "profile"] = ""


@dataclass(slots=True)
class Replayed:
    """What came of one source. ``rows`` are in order of runs, then markets, then choices. ``failed``: something was
    refused for a reason that lies in this computer or program, and not in the source.
    """

    rows: list[RunRow] = field(default_factory=list)
    checks: list[Recorded] = field(default_factory=list)
    profiles: list[Profile] = field(default_factory=list)
    viewed: list[Viewed] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    failed: bool = False

    def fail(self, source: str, what: str, error: Exception) -> None:
        """Refuse ``source``, since it can't be ``what``: of ``error``, which is no fault of its own."""
        self.refusals.append(Refusal(source, f"can't be {what}: {type(error).__name__}: {reason(error)}"))
        self.failed = True


def failure(source: Source, why: str) -> Replayed:
    """What comes of a source whose worker is gone."""
    return Replayed(refusals=[Refusal(str(source.path), why)], failed=True)


def work(plan: Plan, source: Source) -> Replayed:
    """Every run of ``source``, one at a time: what is kept of it does not grow with its calls."""
    counter = best_counter()  # anew for each source, since it remembers short texts
    done = Replayed()
    try:
        for item in load(source):
            if isinstance(item, Refusal):
                done.refusals.append(item)
            elif not item.calls:
                done.refusals.append(Refusal(item.source, "no call of a model in it"))
            else:
                _add_guarded(plan, item, counter, done)
    except Exception as error:  # noqa: BLE001 - what no reader foresaw, or no memory left: others go on
        done.fail(str(source.path), "read", error)
    return done


def _add_guarded(plan: Plan, run: Trajectory, counter: Counter, done: Replayed) -> None:
    try:
        add_run(plan, run, counter, done)
    except Exception as error:  # noqa: BLE001 - one run among thousands must not cost the others
        done.fail(run.source, "replayed", error)


def add_run(plan: Plan, run: Trajectory, counter: Counter, done: Replayed) -> None:
    """Add to ``done`` what comes of ``run``, all or nothing."""
    weighed = weigh(run, counter)
    known = with_knowledge(weighed)
    results, profiles, shown = _first(plan, known)
    rows = [run_row(result) for result in results]
    rows += [run_row(result) for market in plan.markets[1:] for result in evaluate(known, plan.choices, market)]
    check = recorded(weighed, plan.markets[0].own) if plan.more in {"recorded", "viewer"} else None
    done.rows += rows
    done.checks += [check] if check else []
    done.profiles += profiles
    done.viewed += shown


def _first(plan: Plan, run: Weighed) -> tuple[Iterable[Result], list[Profile], list[Viewed]]:
    """The replays in the first market, and what is asked of them besides."""
    market = plan.markets[0]
    if plan.more == "viewer":
        told, results = document(run, plan.choices, market)
        return results, [], [viewed(run.trajectory, told)]
    if plan.more == "profile":
        results = list(evaluate(run, plan.choices, market))
        return results, [profile_of(results, run.sizes)], []
    return evaluate(run, plan.choices, market), [], []
