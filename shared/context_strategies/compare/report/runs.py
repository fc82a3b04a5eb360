"""A run as the viewer takes it: every text once, and each request as the edits that make it.

The document of a run, which the page's script knows by the same names:

    texts       distinct texts: messages, placeholders, summaries, each cut to ``LONGEST`` characters
    sizes       tokens of each text
    cuts        {place of a text: characters cut from it}
    messages    [kind (its place in ``kinds``), turn, place of its text, tokens, command, first call (from 0) whose
                request may not hold it, or -1]
    calls       messages of the raw history that each call's request could hold
    strategies  of each: ``name``; ``masks``, one a way to hide, {message: place of its placeholder}; ``edits``, a flat
                list a call of (operation, stop, argument): stretches of the history in order, without gaps, operations
                by their place in ``OPERATIONS``, the argument a place in ``masks`` or ``texts``; and a list with one
                number a call of prompt, cached, written and output tokens, and of US dollars (``cost``)
"""

import json
import zlib
from base64 import b64encode
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from context_strategies.cache import Cache
from context_strategies.compare.evaluate import Choice, Market, Result, evaluate
from context_strategies.context import Context, Drop, Edit, Keep, Mask, Summarize
from context_strategies.history import Kind
from context_strategies.masks import Hide, masks_of
from context_strategies.measure import Measure
from context_strategies.prices import Usage
from context_strategies.replay import Weighed
from context_strategies.trajectories import Trajectory

LONGEST = 200_000
"""Characters of one text that the page holds."""

OPERATIONS = (Keep, Mask, Summarize, Drop)
KINDS = tuple(Kind)


@dataclass(slots=True)
class Texts:
    """Distinct texts in order of first appearance."""

    measure: Callable[[str], int]
    places: dict[str, int] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    cuts: dict[int, int] = field(default_factory=dict)

    def place(self, text: str, size: int | None = None) -> int:
        """Where ``text`` stands, which is counted if it is new and no ``size`` in tokens is given."""
        if text not in self.places:
            place = self.places[text] = len(self.texts)
            self.texts.append(text[:LONGEST])
            self.sizes.append(self.measure(text) if size is None else size)
            if len(text) > LONGEST:
                self.cuts[place] = len(text) - LONGEST
        return self.places[text]


@dataclass(slots=True)
class Watch:
    """A cache that notes each request it is shown, and answers as ``meter`` does."""

    meter: Cache
    texts: Texts
    ways: dict[Hide, int] = field(default_factory=dict)
    masks: list[dict[int, int]] = field(default_factory=list)
    edits: list[list[int]] = field(default_factory=list)
    orphans: dict[int, int] = field(default_factory=dict)

    def usage(self, measure: Measure, before: Context | None, now: Context, output: int) -> Usage:
        """What the cache under watch says."""
        for index in now.history.orphans:
            self.orphans.setdefault(index, len(self.edits))
        self.edits.append([number for edit in now.edits for number in self._numbers(now, edit)])
        return self.meter.usage(measure, before, now, output)

    def _numbers(self, context: Context, edit: Edit) -> tuple[int, int, int]:
        argument = 0
        if isinstance(edit, Mask):
            argument = self._way(context, edit)
        elif isinstance(edit, Summarize):
            argument = self.texts.place(edit.text)
        return OPERATIONS.index(type(edit)), edit.stop, argument

    def _way(self, context: Context, edit: Mask) -> int:
        """The way to hide by its number; what it makes of the stretch is noted once."""
        way = self.ways.setdefault(edit.hide, len(self.masks))
        if way == len(self.masks):
            self.masks.append({})
        known, masks = self.masks[way], masks_of(context.history, edit.hide)
        for index in range(edit.start, edit.stop):
            if index not in known and (text := masks.text(index)) is not None:
                known[index] = self.texts.place(text)
        return way


@dataclass(frozen=True, slots=True)
class Viewed:
    """What the page shows of one run: its ``document``, packed; ``sent``, what the raw agent's requests are made of in
    all, tokens by kind of message; and the sizes of the requests under each strategy (``prompts``).
    """

    source: str
    id: str
    format: str
    model: str
    calls: int
    condensed: bool
    lost: tuple[str, ...]
    document: str
    sent: dict[str, int]
    prompts: dict[str, list[int]]


def viewed(run: Trajectory, told: dict[str, Any]) -> Viewed:
    """``run`` as its document tells of it."""
    return Viewed(
        source=run.source,
        id=run.id,
        format=run.format,
        model=run.model,
        calls=len(run.calls),
        condensed=run.condensed,
        lost=run.lost,
        document=packed(told),
        sent=_sent(told),
        prompts={strategy["name"]: strategy["prompt"] for strategy in told["strategies"]},
    )


def packed(document: object) -> str:
    """``document`` as JSON, compressed (zlib) and in base64; lone surrogates are replaced."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).decode()


def _sent(told: dict[str, Any]) -> dict[str, int]:
    calls, sent = told["calls"], Counter[str]()
    for index, (kind, _, _, tokens, _, unsent) in enumerate(told["messages"]):
        last = len(calls) if unsent < 0 else unsent
        sent[told["kinds"][kind]] += tokens * max(last - bisect_right(calls, index), 0)
    return sent


def document(run: Weighed, choices: Iterable[Choice], market: Market) -> tuple[dict[str, Any], list[Result]]:
    """``run`` under each of ``choices`` as the viewer takes it, billed in ``market``, and the replays it tells of."""
    texts = Texts(lambda text: run.counter.count([text])[0])
    messages = [_message(run, index, texts) for index in range(len(run.trajectory.history))]
    watches: list[Watch] = []

    def watched(meter: Cache) -> Cache:
        watches.append(Watch(meter, texts))
        return watches[-1]

    results = list(evaluate(run, choices, market, watched=watched))
    for watch in watches:
        for index, call in watch.orphans.items():
            messages[index][-1] = call
    told = {
        "kinds": list(KINDS),
        "texts": texts.texts,
        "sizes": texts.sizes,
        "cuts": texts.cuts,
        "messages": messages,
        "calls": [call.upto for call in run.trajectory.calls],
        "strategies": [
            {"name": one.choice, "masks": watch.masks, "edits": watch.edits, **_usage(one)}
            for one, watch in zip(results, watches, strict=True)
        ],
    }
    return told, results


def _message(run: Weighed, index: int, texts: Texts) -> list[Any]:
    history, size = run.trajectory.history, run.sizes[index]
    message = history[index]
    place = texts.place(message.text, size)
    return [KINDS.index(message.kind), history.turn_of(index), place, size, message.command or message.tool, -1]


def _usage(result: Result) -> dict[str, list[Any]]:
    """Tokens and dollars of each call; a summary is paid with the call that first shows it."""
    done, price = result.replay, result.prices.price
    usages = [call.usage for call in done.calls]
    made = [0, *(call.summaries for call in done.calls)]
    paid = [done.summaries[start:stop] for start, stop in pairwise(made)]
    costs = [price(one) + sum(map(price, some)) for one, some in zip(usages, paid, strict=True)]
    return {
        "prompt": [usage.prompt for usage in usages],
        "cached": [usage.cached for usage in usages],
        "written": [usage.written for usage in usages],
        "output": [usage.output for usage in usages],
        "cost": [float(f"{cost:.4g}") for cost in costs],
    }
