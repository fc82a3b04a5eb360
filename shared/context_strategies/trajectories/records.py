"""What was written down of single calls of a model, and the calls that come of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from context_strategies.fields import section, tokens
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
