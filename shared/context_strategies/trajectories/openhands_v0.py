"""OpenHands V0: exported event lists, session folders, and the ``output.jsonl`` of its evaluations.

Events are read as the scaffold itself turns them into messages: a reply once, whatever number of actions it had; long
outputs cut; state changes left out; what a delegated agent does hidden behind the delegation.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from context_strategies.commands import one_line
from context_strategies.fields import at, count, dollars, mapping, section, sequence, stem, text
from context_strategies.history import History
from context_strategies.trajectories.model import Trajectory
from context_strategies.trajectories.openhands import assign, listed, records
from context_strategies.trajectories.openhands_v0_events import ACTIONS, OBSERVATIONS, Reader, Step
from context_strategies.trajectories.records import NOTHING, Record, merged, to_calls

NAME = "openhands-v0"

MAX_CHARS = 30_000
"""Where the scaffold cuts an output unless it is told otherwise (``max_message_chars``)."""

SILENT = frozenset({"observation_masking", "recent", "browser_output_masking"})
"""Condensers that leave no event behind."""


def claims(value: object) -> bool:
    """Whether ``value`` is a list of V0 events (or of pairs of them), or holds one."""
    return any(claims_part(event) for event in islice(_flat(listed(value)), 10))


def claims_part(value: object) -> bool:
    """Whether ``value`` is a V0 event: an action or an observation, and not both as in a SWE-agent step."""
    if not isinstance(value, dict):
        return False
    action, observation = value.get("action"), value.get("observation")
    if action is None:
        return isinstance(observation, str) and observation in OBSERVATIONS
    return observation is None and isinstance(action, str) and action in ACTIONS


def parse(value: Any, source: str) -> Iterator[Trajectory]:
    """The one run of an exported list, or of a line of ``output.jsonl``."""
    yield _trajectory(_flat(listed(value)), section(value), source)


def parse_parts(values: Iterable[tuple[str, Any]], source: str) -> Iterator[Trajectory]:
    """The one run whose events are ``values``."""
    yield _trajectory((event for _, event in values), {}, source)


def _flat(events: Iterable[Any]) -> Iterator[Any]:
    for event in events:
        if isinstance(event, list):
            yield from event
        else:
            yield event


def _trajectory(events: Iterable[Any], document: Mapping[str, Any], source: str) -> Trajectory:
    config = section(document, "metadata", "llm_config")
    limit = config.get("max_message_chars")
    reader = Reader(limit if isinstance(limit, int) and limit > 0 else MAX_CHARS)
    for index, event in enumerate(events):
        with at(f"event {index}"):
            reader.add(mapping(event, "it"))
    metrics = section(document, "metrics")
    own, side, lost = _records(reader, metrics)
    calls, side_calls = to_calls(own, side)
    error = document.get("error")
    condensers = set(_condensers(section(document, "metadata", "condenser_config")))
    return Trajectory(
        id=text(document.get("instance_id")) or _issue(document) or stem(source),
        source=source,
        format=NAME,
        model=text(config.get("model")) or reader.model or _listed_model(metrics),
        history=History(reader.messages),
        calls=calls,
        exit_status=one_line(f"error: {error}") if error else reader.state,
        condensed=reader.condensed or bool(metrics.get("condenser")) or bool(condensers & SILENT),
        cost=dollars(metrics.get("accumulated_cost")) or reader.cost,
        side_calls=side_calls,
        lost=(*reader.lost(), *lost),
    )


def _records(
    reader: Reader, metrics: Mapping[str, Any]
) -> tuple[list[tuple[int, Record]], list[tuple[int, Record]], list[str]]:
    """What is recorded of each reply and of each other call, and what of it could not be placed."""
    steps = [step for step in reader.steps if not step.side]
    if not metrics:
        own, side = _from_totals(reader.steps)
        return own, side, []
    found, lost = records(metrics, "metrics")
    assigned, rest = assign([step.response_id for step in steps], found)
    own = [
        (step.upto, merged(Record(step.response_id, step.tally), record))
        for step, record in zip(steps, assigned, strict=True)
    ]
    if rest:
        lost.append(f"{count(len(rest), 'recorded call')} of {len(found)} without a reply here")
    return own, [(len(reader.messages), record) for record in rest], lost


def _from_totals(steps: Iterable[Step]) -> tuple[list[tuple[int, Record]], list[tuple[int, Record]]]:
    """Records from the running totals that events carry.

    Other calls may lie between two replies. Then the totals grow by more than the reply's own usage, and what it cost
    is not known.
    """
    own, side = [], []
    before, before_cost = NOTHING, 0.0
    for step in steps:
        grown, cost = step.tally, None
        if step.totals is not None and step.totals_cost is not None:
            grown, cost = step.totals.less(before), dollars(round(step.totals_cost - before_cost, 10))
            before, before_cost = step.totals, step.totals_cost
        if grown is not None and min(grown) < 0:
            grown, cost = None, None
        if step.side:
            side.append((step.upto, Record(step.response_id, grown, cost)))
        elif step.tally is None or step.tally == grown:
            own.append((step.upto, Record(step.response_id, grown, cost)))
        else:
            own.append((step.upto, Record(step.response_id, step.tally)))
            others = grown.less(step.tally) if grown else NOTHING
            if min(others) >= 0 and any(others):
                side.append((step.upto, Record(tally=others)))
    return own, side


def _condensers(config: Mapping[str, Any]) -> Iterator[str]:
    yield text(config.get("type"))
    for inner in sequence(config.get("condensers") or [], "metadata.condenser_config.condensers"):
        yield text(section(inner).get("type"))


def _issue(document: Mapping[str, Any]) -> str:
    """The id of a run of the issue resolver."""
    issue = section(document, "issue")
    return f"{issue.get('owner')}__{issue.get('repo')}-{issue.get('number')}" if issue else ""


def _listed_model(metrics: Mapping[str, Any]) -> str:
    usages = metrics.get("token_usages")
    return text(section(usages[0]).get("model")) if isinstance(usages, list) and usages else ""
