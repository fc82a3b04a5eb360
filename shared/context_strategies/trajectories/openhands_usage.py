"""Usage as OpenHands and its providers record it, and the call that each record belongs to."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, NamedTuple

from context_strategies.fields import dollars, mapping, section, sequence, stem, text, tokens
from context_strategies.prices import Usage
from context_strategies.trajectories.model import Call


class Tally(NamedTuple):
    """Tokens of one call as written down; whether ``prompt`` counts the cached ones depends on who wrote it."""

    prompt: int
    cached: int
    written: int
    output: int

    def less(self, other: "Tally") -> "Tally":
        """What came on top of ``other``."""
        return Tally(*(mine - its for mine, its in zip(self, other, strict=True)))


EVENT_FOLDERS = frozenset({"events", "event_service"})
NOTHING = Tally(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Record:
    """What was written down about one call of a model; ``cost`` in US dollars."""

    response_id: str = ""
    tally: Tally | None = None
    cost: float | None = None


def tally(raw: object) -> Tally | None:
    """The tokens in a provider's ``usage`` or in an entry of OpenHands' ``token_usages``; None where there are none."""
    record = section(raw)
    details = section(record, "prompt_tokens_details")
    cached = (record.get("cache_read_tokens"), record.get("cache_read_input_tokens"), details.get("cached_tokens"))
    written = (
        record.get("cache_write_tokens"),
        record.get("cache_creation_input_tokens"),
        details.get("cache_creation_tokens"),
    )
    found = Tally(
        tokens(record.get("prompt_tokens")),
        max(map(tokens, cached)),
        max(map(tokens, written)),
        tokens(record.get("completion_tokens")),
    )
    return found if any(found) else None


def records(metrics: Mapping[str, Any], place: str) -> tuple[list[Record], list[str]]:
    """The calls listed in ``metrics``, in order, and what could not be made of them.

    ``costs`` names no calls: it is read beside ``token_usages`` where both are equally long.
    """
    rows = items(metrics.get("token_usages") or [], f"{place}.token_usages")
    costs = [_cost(cost) for cost in sequence(metrics.get("costs") or [], f"{place}.costs")]
    if not rows:
        return [Record(cost=cost) for cost in costs], []
    lost = []
    if len(costs) != len(rows):
        if any(costs):
            lost.append(f"{len(costs)} costs were recorded for {len(rows)} calls, so that none has its own")
        costs = [None] * len(rows)
    return [Record(text(row.get("response_id")), tally(row), cost) for row, cost in zip(rows, costs, strict=True)], lost


def _cost(cost: object) -> float | None:
    return dollars(cost["cost"] if isinstance(cost, Mapping) and "cost" in cost else cost)


def assign(response_ids: Sequence[str], found: Iterable[Record]) -> tuple[list[Record], list[Record]]:
    """One record for each response (an empty one where there is none), and the records that are left.

    A record belongs to the response it names. Those that name none of ours go to the responses still without, in order,
    if there is one for each.
    """
    rest = []
    by_id: dict[str, Record] = {}
    wanted = set(response_ids)
    for record in found:
        if record.response_id and record.response_id in wanted and record.response_id not in by_id:
            by_id[record.response_id] = record
        else:
            rest.append(record)
    matched = [by_id.get(response_id) for response_id in response_ids]
    if rest and matched.count(None) == len(rest):
        in_order = iter(rest)
        return [record or next(in_order) for record in matched], []
    return [record or Record() for record in matched], rest


def merged(first: Record, second: Record) -> Record:
    """``first``, completed from ``second``."""
    return Record(
        first.response_id or second.response_id,
        first.tally if first.tally is not None else second.tally,
        first.cost if first.cost is not None else second.cost,
    )


def to_calls(*groups: Sequence[tuple[int, Record]]) -> list[tuple[Call, ...]]:
    """Calls from each group of (messages before it, record) of one run.

    Providers, and the libraries between, count a prompt with or without the tokens read from a cache and written to it.
    A run is counted in one way: a single call whose prompt is smaller than its cached tokens tells for all.
    """
    tallies = [record.tally for group in groups for _, record in group if record.tally]
    bare = any(found.prompt < found.cached for found in tallies)
    unwritten = bare or any(found.prompt < found.cached + found.written for found in tallies)

    def usage(found: Tally | None) -> Usage | None:
        if found is None:
            return None
        prompt = found.prompt + bare * found.cached + unwritten * found.written
        return Usage(prompt, found.cached, found.written, found.output)

    return [tuple(Call(upto, usage(record.tally), record.cost) for upto, record in group) for group in groups]


def items(value: object, place: str) -> list[Mapping[str, Any]]:
    """``value``, a list of objects; ``ValueError`` where it is none."""
    return [mapping(item, f"{place}[{index}]") for index, item in enumerate(sequence(value, place))]


def run_name(source: str) -> str:
    """The name of a run without an id: its file's, or that of the folder that its folder of events is in."""
    path = PurePath(source)
    while path.name in EVENT_FOLDERS and path.parent.name:
        path = path.parent
    return stem(str(path))


def reply_of(response: object, place: str) -> Mapping[str, Any]:
    """The assistant message of a chat completion; ``ValueError`` where it has none."""
    choices = items(mapping(response, place).get("choices"), f"{place}.choices")
    if not choices:
        raise ValueError(f"{place}.choices is empty")
    message = mapping(choices[0].get("message"), f"{place}.choices[0].message")
    items(message.get("tool_calls") or [], f"{place}.choices[0].message.tool_calls")
    return message
