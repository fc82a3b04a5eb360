"""What both generations of OpenHands record alike: lists of events, a shell's output, the metrics of their calls."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from context_strategies.fields import count, dollars, items, section, sequence, text
from context_strategies.trajectories.records import Record, tally

LISTS = ("trajectory", "history", "events")
"""What a document calls its events."""


def listed(value: object) -> Sequence[Any]:
    """The events of a document that is a list of them, or holds one; none in any other."""
    if isinstance(value, list):
        return value
    found = section(value)
    return next((found[name] for name in LISTS if isinstance(found.get(name), list)), [])


def shell_output(output: str, metadata: Mapping[str, Any], code: object = -1) -> str:
    """A shell's output with what the scaffold adds around it; ``code`` is the exit code where ``metadata`` has none."""
    shown = f"{text(metadata.get('prefix'))}{output}{text(metadata.get('suffix'))}"
    if metadata.get("working_dir"):
        shown += f"\n[Current working directory: {metadata['working_dir']}]"
    if metadata.get("py_interpreter_path"):
        shown += f"\n[Python interpreter: {metadata['py_interpreter_path']}]"
    code = metadata.get("exit_code", code)
    return shown if code == -1 else f"{shown}\n[Command finished with exit code {code}]"


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
            several = f"{count(len(costs), 'cost')} recorded for {count(len(rows), 'call')}"
            lost.append(f"{several}, so that none has its own")
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
