"""Outcomes from the folder that a batch of runs left: its recordings, reports, predictions and events files."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from context_strategies.compare.outcomes import Outcome
from context_strategies.compare.verdicts import Verdicts, beside, statuses_in, verdict, verdicts_in
from context_strategies.events import EVENTS_FILE, SDK_EVENTS_FILE
from context_strategies.fields import dollars, printable, section, stem, tokens
from context_strategies.summarizers import Extractive
from context_strategies.trajectories import Refusal, Source, Trajectory, find, load
from context_strategies.trajectories.raw import parse_lines

CONVERSATION = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")
"""The id of an OpenHands conversation: no two runs share one, so that it names no instance."""
NO_NAME = frozenset({"", "events", "event_service", "conversations", "sessions"})
ATTEMPT = re.compile(r"attempt_\d+")
COPIES = re.compile(r"output\.critic_attempt_\d+\.jsonl")


@dataclass(frozen=True, slots=True)
class Found:
    """What lies under the paths of one label."""

    runs: list[tuple[str, Outcome]] = field(default_factory=list)
    verdicts: list[Verdicts] = field(default_factory=list)
    statuses: dict[str, str] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)

    def outcomes(self) -> list[Outcome]:
        """Every run with its verdict, and every instance of a report that left no recording."""
        done = []
        for source, one in self.runs:
            said = verdict(self.verdicts, one.instance, source)
            status = one.exit_status or self.statuses.get(one.instance, "")
            done.append(replace(one, solved=said, exit_status=status))
        seen = {one.instance for one in done}
        named = [instance for one in self.verdicts for instance in one.solved] + list(self.statuses)
        for instance in dict.fromkeys(named):
            if instance not in seen:
                said = verdict(self.verdicts, instance)
                done.append(Outcome(instance, said, exit_status=self.statuses.get(instance, "")))
        return done


def read_runs(paths: Iterable[Path]) -> Found:
    """Everything under ``paths``, each a recording, a report, or a folder with any number of both.

    A refusal for every file that is neither; copies of a run (the attempts that SWE-agent chose from, the completions
    that OpenHands logs beside its output) are left out.
    """
    found = Found()
    for given in paths:
        path = given.resolve() if given.name in {"", ".."} else given  # an instance may be called after it
        if path.is_dir():
            found.statuses.update(statuses_in(path))
        found.verdicts.extend(told for other in beside(path) if (told := verdicts_in(other)))
        for source in find([path]):
            _read_one(source, path, found)
    return found


def is_copy(path: Path) -> bool:
    """Whether another file holds the same run, or the one that was chosen of several."""
    chosen = path.parent.parent / path.name
    return (
        "llm_completions" in path.parts
        or (COPIES.fullmatch(path.name) is not None and (path.parent / "output.jsonl").exists())
        or (ATTEMPT.fullmatch(path.parent.name) is not None and chosen.exists())
    )


def _read_one(source: Source | Refusal, root: Path, found: Found) -> None:
    if isinstance(source, Refusal):
        found.refusals.append(source)
        return
    if is_copy(source.path):
        return
    report = not source.parts and source.path.suffix in {".json", ".jsonl"} and ".traj" not in source.path.suffixes
    told = verdicts_in(source.path) if report else None
    if told:
        found.verdicts.append(told)
    before, refusals = len(found.runs), []
    for item in load(source):
        if isinstance(item, Trajectory):
            found.runs.append((item.source, outcome(item, root)))
        else:
            refusals.append(item)
    if not told or len(found.runs) > before:  # a report is no recording, and need not be one
        found.refusals.extend(refusals)


def outcome(run: Trajectory, root: Path) -> Outcome:
    """What ``run`` recorded of itself, ``root`` being the path it was found under."""
    events = _events(Path(run.source).absolute())
    prompt, cached, output = _used(run)
    return Outcome(
        instance=printable(_instance(run, root)),
        cost=run.cost,
        summary_cost=_summary_cost(run, events),
        turns=run.history.turn_of(len(run.history) - 1),  # the last one too, which nothing may have answered
        prompt=prompt,
        cached=cached,
        output=output,
        contexts=events.contexts if events else None,
        hidden=events.hidden if events else None,
        exit_status=run.exit_status,
        model=run.model,
    )


def _used(run: Trajectory) -> tuple[int | None, int | None, int | None]:
    """Tokens read, those of them from a cache, and written: by all calls, else as the run's totals tell."""
    usages = [call.usage for call in (*run.calls, *run.side_calls)]
    known = [usage for usage in usages if usage]
    if known and len(known) == len(usages):
        return sum(one.prompt for one in known), sum(one.cached for one in known), sum(one.output for one in known)
    return (run.totals.prompt, None, run.totals.output) if run.totals else (None, None, None)


def _instance(run: Trajectory, root: Path) -> str:
    """The instance that ``run`` is of: a conversation's is the folder that it was put in, below ``root`` or itself."""
    if not CONVERSATION.fullmatch(run.id):
        return run.id
    place = PurePath(run.source)
    names = [place.name, *(above.name for above in place.parents if above.is_relative_to(root))]
    return next(
        (stem(name) for name in names if name not in NO_NAME and not CONVERSATION.fullmatch(stem(name))), run.id
    )


@dataclass(frozen=True, slots=True)
class _Events:
    """What the events of a run come to; ``cost`` is that of its summaries, None where one's is not known."""

    contexts: int
    hidden: int
    cost: float | None


def _events(source: Path) -> _Events | None:
    """The file that a plugin wrote beside the run at ``source``."""
    source = source.parent if source.name in NO_NAME else source
    named = source.with_name(f"{stem(source.name)}.{EVENTS_FILE}")
    places = (named, source / SDK_EVENTS_FILE, source / EVENTS_FILE)
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        return None
    lines = [section(value) for _, value in parse_lines(path)]
    steps = [line for line in lines if line.get("event") == "step"]
    billed = [line for line in lines if line.get("event") == "condensed" and line.get("by") != Extractive().name]
    return _Events(
        contexts=len(steps),
        hidden=sum(tokens(line.get("hidden")) > 0 for line in steps),
        cost=_sum(dollars(line.get("cost")) for line in billed),
    )


def _summary_cost(run: Trajectory, events: _Events | None) -> float | None:
    """What summaries, and other calls beside the agent's own, were billed."""
    if run.side_calls:
        return _sum(call.cost for call in run.side_calls)
    if events:
        return events.cost
    return None if run.condensed else 0.0


def _sum(costs: Iterable[float | None]) -> float | None:
    """All of ``costs`` together, None where one is not known."""
    known = list(costs)
    return None if None in known else sum(cost for cost in known if cost)
