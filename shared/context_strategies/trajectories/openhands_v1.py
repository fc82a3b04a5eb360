"""OpenHands V1 (the SDK): conversation folders, exported event lists, and the ``output.jsonl`` of its benchmarks.

Statistics stand apart from the events, by service; a response's id leads from one to the other.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from context_strategies.commands import one_line
from context_strategies.fields import at, count, dollars, items, mapping, section, stem, text
from context_strategies.history import History
from context_strategies.trajectories.model import Trajectory
from context_strategies.trajectories.openhands import assign, listed, records
from context_strategies.trajectories.openhands_v1_events import Reader, active_branch
from context_strategies.trajectories.records import Record, to_calls

NAME = "openhands-v1"

ARTIFACTS = frozenset({"ConversationErrorEvent", "ConversationStateUpdateEvent"})
OTHER_KINDS = frozenset({"AgentErrorEvent", "Condensation", "CondensationRequest", "UserRejectObservation"})
TRACELESS = ("", "NoOpCondenser", "LLMSummarizingCondenser")
"""Condensers known to change nothing without an event that says so, and none at all."""


def claims(value: object) -> bool:
    """Whether ``value`` is a list of V1 events, or holds one."""
    return any(_is_event(event) for event in islice(listed(value), 10))


def claims_part(value: object) -> bool:
    """Whether ``value`` is a V1 event, or the state of a conversation (``base_state.json``)."""
    return _is_event(value) or _is_state(value)


def parse(value: Any, source: str) -> Iterator[Trajectory]:
    """The one conversation of an exported list, or of a line of ``output.jsonl``."""
    yield _trajectory(items(listed(value), "events"), {}, section(value), source)


def parse_parts(values: Iterable[tuple[str, Any]], source: str) -> Iterator[Trajectory]:
    """The one conversation whose state (if it is there) and events are ``values``."""
    state: Mapping[str, Any] = {}
    events = []
    for name, value in values:
        part = mapping(value, name)
        if _is_event(part):
            events.append(part)
        else:
            state = part
    yield _trajectory(events, state, {}, source)


def _is_event(value: object) -> bool:
    kind = text(section(value).get("kind"))
    return "source" in section(value) and (kind.endswith("Event") or kind in OTHER_KINDS)


def _is_state(value: object) -> bool:
    state = section(value)
    return isinstance(state.get("agent"), dict) and isinstance(state.get("stats"), dict)


def _trajectory(
    events: Sequence[Mapping[str, Any]], stored: Mapping[str, Any], document: Mapping[str, Any], source: str
) -> Trajectory:
    state = {**_streamed_state(events), **stored}
    nodes = [event for event in events if event.get("kind") not in ARTIFACTS]
    branch, lost = active_branch(nodes, text(state.get("leaf_event_id")))
    reader = Reader(branch)
    for index, event in enumerate(branch):
        with at(f"event {text(event.get('id')) or index}"):
            reader.add(event)
    services = _services(state, document)
    own, side, unplaced = _records(reader, services)
    calls, side_calls = to_calls(own, side)
    condenser = text(section(state, "agent", "condenser").get("kind"))
    errors = [event for event in events if event.get("kind") == "ConversationErrorEvent"]
    if condenser not in TRACELESS:
        lost.append(f"{condenser} may have edited what was sent without a trace here")
    lost += [f"the conversation was stopped by {_error(event)}" for event in errors]
    totals = [dollars(metrics.get("accumulated_cost")) for metrics in services.values()]
    return Trajectory(
        id=_id(state, document) or stem(source),
        source=source,
        format=NAME,
        model=_model(state, document, services),
        history=History(reader.messages),
        calls=calls,
        exit_status=_exit(state, document, events, reader),
        condensed=reader.condensed or condenser not in TRACELESS,
        cost=sum(total or 0 for total in totals) if any(totals) else None,
        side_calls=side_calls,
        lost=(*lost, *reader.lost(), *unplaced),
    )


def _streamed_state(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The state as its changes among the events leave it."""
    state: dict[str, Any] = {}
    for event in events:
        if event.get("kind") != "ConversationStateUpdateEvent":
            continue
        if event.get("key") == "full_state":
            state |= section(event, "value")
        else:
            state[text(event.get("key"))] = event.get("value")
    return state


def _services(state: Mapping[str, Any], document: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Metrics by service; a benchmark's are one sum."""
    stats = section(state, "stats")
    by_service = section(stats, "usage_to_metrics") or section(stats, "service_to_metrics")
    if not by_service and isinstance(document.get("metrics"), dict):
        by_service = {"metrics": document["metrics"]}
    return {name: mapping(metrics, f"metrics of {name}") for name, metrics in by_service.items()}


def _records(
    reader: Reader, services: Mapping[str, Mapping[str, Any]]
) -> tuple[list[tuple[int, Record]], list[tuple[int, Record]], list[str]]:
    """What is recorded of each reply and of each other call, and what of it could not be placed."""
    found: list[Record] = []
    lost: list[str] = []
    for name, metrics in services.items():
        told, missing = records(metrics, f"metrics of {name}")
        found += told
        lost += missing
    own, rest = assign([response_id for _, response_id in reader.replies], found)
    silent = sum(record.tally is None for record in own)
    if found and silent:
        lost.append(f"{count(silent, 'call')} of {len(own)} without recorded usage")
    summaries, others = assign([response_id for _, response_id in reader.summaries], rest)
    side = _placed(reader.summaries, summaries) + [(len(reader.messages), record) for record in others]
    return _placed(reader.replies, own), [(upto, record) for upto, record in side if record != Record()], lost


def _placed(places: Iterable[tuple[int, str]], found: Iterable[Record]) -> list[tuple[int, Record]]:
    return [(upto, record) for (upto, _), record in zip(places, found, strict=True)]


def _exit(
    state: Mapping[str, Any], document: Mapping[str, Any], events: Sequence[Mapping[str, Any]], reader: Reader
) -> str:
    """How it ended: what the state says, or else the error or action that came last."""
    status = text(state.get("execution_status")) or text(state.get("agent_status"))
    if document.get("error"):
        return one_line(f"error: {document['error']}")
    if status:
        return status
    if events and events[-1].get("kind") == "ConversationErrorEvent":
        return text(events[-1].get("code")) or "error"
    return "finished" if reader.finished else ""


def _error(event: Mapping[str, Any]) -> str:
    return f"{text(event.get('code'))}: {one_line(text(event.get('detail')))}"


def _id(state: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    return text(document.get("instance_id")) or text(document.get("conversation_id")) or text(state.get("id"))


def _model(state: Mapping[str, Any], document: Mapping[str, Any], services: Mapping[str, Mapping[str, Any]]) -> str:
    llm = section(state, "agent", "llm") or section(document, "metadata", "llm")
    named = (text(metrics.get("model_name")) for metrics in services.values())
    return text(llm.get("model")) or next(filter(None, named), "")
