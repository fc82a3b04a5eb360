"""ATIF, Harbor's interchange format, versions 1.0 to 1.8: documents, and streams of steps as JSON Lines.

Read by the specification's names; where real recordings depart from it, as its authors' own converters do, what is
meant is read. Our own export notes what the format has no field for, and is read back the same.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from context_strategies.fields import at, count, dollars, items, mapping, section, sequence, stem, text, tokens
from context_strategies.history import History
from context_strategies.trajectories.atif_steps import OURS, Reader, Step
from context_strategies.trajectories.model import Call, Totals, Trajectory
from context_strategies.trajectories.records import Record, Tally, to_calls

NAME = "atif"

NEWEST = 8
"""The newest minor version that is known. Each adds fields; none has changed the meaning of one that is read here."""

VERSION = re.compile(r"(?:ATIF-)?v?(\d{1,9})\.(\d{1,9})(?:\.\d+)?", re.ASCII | re.IGNORECASE)

Document = Mapping[str, Any]


def claims(value: object) -> bool:
    """Whether ``value`` names a version and an agent, and has steps."""
    return _is_head(value) and isinstance(section(value).get("steps"), list)


def claims_part(value: object) -> bool:
    """Whether ``value`` is a line of a stream: the document without its steps, or one step."""
    line = section(value)
    if "step_id" in line:
        return line.get("source") in ("agent", "system", "user") and "message" in line
    return _is_head(line) and "steps" not in line


def parse(value: Document, source: str) -> Iterator[Trajectory]:
    """The run of a document, and then the runs of subagents that are embedded in it.

    A subagent may have the id of its session alone, which is the parent's: what repeats an id is numbered.
    """
    waiting, named = [value], Counter[str]()
    while waiting:
        document = waiting.pop()
        run = _trajectory(document, items(document.get("steps"), "steps"), source)
        named[run.id] += 1
        yield run if named[run.id] == 1 else replace(run, id=f"{run.id}#{named[run.id]}")
        inner = items(document.get("subagent_trajectories") or [], "subagent_trajectories")
        waiting.extend(reversed(inner))


def parse_parts(values: Iterable[tuple[str, Any]], source: str) -> Iterator[Trajectory]:
    """The one run whose lines are ``values``."""
    head: Document = {}
    steps = []
    for name, value in values:
        line = mapping(value, name)
        if "step_id" in line:
            steps.append(line)
        else:
            head = head or line
    yield _trajectory(head, steps, source)


def _is_head(value: object) -> bool:
    document = section(value)
    return bool(VERSION.fullmatch(text(document.get("schema_version")))) and isinstance(document.get("agent"), dict)


def _trajectory(document: Document, steps: Sequence[Step], source: str) -> Trajectory:
    lost = [*_unknown(document), *_missing(document, steps)]
    mark = section(document, "extra", OURS)
    reader = Reader(exact=bool(mark))
    for index, step in enumerate(steps, 1):
        with at(f"step {index}"):
            reader.add(step)
    own = [(upto, _record(step)) for upto, step in reader.replies]
    noted = items(mark.get("side_calls") or [], "side_calls")
    side = [(min(tokens(call.get("upto")), len(reader.messages)), _record(call)) for call in noted]
    calls, side_calls = to_calls(own, side)
    named = (text(step.get("model_name")) for _, step in reader.replies)
    agent = section(document, "agent")
    return Trajectory(
        id=text(document.get("trajectory_id")) or text(document.get("session_id")) or stem(source),
        source=source,
        format=NAME,
        model=text(agent.get("model_name")) or text(agent.get("model")) or next(filter(None, named), ""),
        history=History(reader.messages),
        calls=calls,
        exit_status=text(mark.get("exit_status")) or text(section(document, "extra").get("exit_status")),
        condensed=bool(reader.condensations) or mark.get("condensed") is True,
        cost=_cost(document, own, exact=bool(mark)),
        side_calls=side_calls,
        lost=tuple(map(text, sequence(mark.get("lost") or [], "lost"))) if mark else (*lost, *reader.lost()),
        totals=_totals(document, calls),
    )


def _unknown(document: Document) -> Iterator[str]:
    """What can't be known of a document without a version, or with a newer one; ``ValueError`` where it is no 1.x."""
    version = text(document.get("schema_version"))
    match = VERSION.fullmatch(version)
    if not match:
        yield "no version and no agent were recorded"
    elif match[1] != "1":
        raise ValueError(f"version {version}: known are ATIF-v1.0 to ATIF-v1.{NEWEST}")
    elif int(match[2]) > NEWEST:
        yield f"version {version} may hold more than ATIF-v1.{NEWEST}, as which it is read"


def _missing(document: Document, steps: Sequence[Step]) -> Iterator[str]:
    if not steps:
        raise ValueError("no steps")
    if [step.get("step_id") for step in steps] != list(range(1, len(steps) + 1)):
        yield f"the steps are not numbered 1 to {len(steps)}: some may be missing"
    if "steps" not in document:
        yield "a stream of steps without totals"
    tools = section(document, "agent").get("tool_definitions")
    if isinstance(tools, list) and tools:
        yield f"the definitions of {count(len(tools), 'tool')}, part of every prompt, are not in the history"
    several = sum(tokens(step.get("llm_call_count")) > 1 for step in steps)
    if several:
        yield f"{count(several, 'step')} made of several calls each, whose usage is not told apart"
    if document.get("continued_trajectory_ref"):
        yield "it goes on in another recording"


def _record(step: Step) -> Record:
    """What a step's call used: ``prompt_tokens`` holds all of it, tokens written to a cache stand in an ``extra``."""
    metrics = section(step, "metrics")
    used = Tally(
        tokens(metrics.get("prompt_tokens")),
        tokens(metrics.get("cached_tokens")),
        tokens(section(metrics, "extra").get("cache_creation_input_tokens")),
        tokens(metrics.get("completion_tokens")),
    )
    single = tokens(step.get("llm_call_count")) <= 1
    return Record(tally=used if single and any(used) else None, cost=dollars(metrics.get("cost_usd")))


def _totals(document: Document, calls: Sequence[Call]) -> Totals | None:
    """The whole run's tokens where no call tells its own; they may include subagents, and are then left out."""
    if any(call.usage for call in calls) or document.get("subagent_trajectories"):
        return None
    metrics, mark = section(document, "final_metrics"), section(document, "extra", OURS)
    number = tokens(mark.get("total_calls")) if mark else len(calls)
    totals = Totals(number, tokens(metrics.get("total_prompt_tokens")), tokens(metrics.get("total_completion_tokens")))
    return totals if totals.prompt else None


def _cost(document: Document, own: Iterable[tuple[int, Record]], *, exact: bool) -> float | None:
    """The run's own cost in US dollars: a recorded total may include subagents, and then the steps tell."""
    total = dollars(section(document, "final_metrics").get("total_cost_usd"))
    if exact or (total and not document.get("subagent_trajectories")):
        return total
    return sum(record.cost or 0 for _, record in own) or None
