"""What came of a run: solved or not, what it cost, how long it was. All that is compared of measured runs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

import numpy as np

from context_strategies.fields import printable

Quantity = Literal["solved", "cost", "summary_cost", "turns", "prompt", "cached", "output", "contexts", "hidden"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run of one instance; None, or an empty text, where something is not known.

    ``cost`` is everything the run was billed, in US dollars, ``summary_cost`` the part of it that went into summaries.
    ``prompt``, ``cached`` (a part of ``prompt``) and ``output`` are tokens over all calls. ``contexts`` are the
    requests that a strategy recorded, ``hidden`` those of them in which something was masked or summarized.
    ``attempt`` counts the runs of one instance from 0.
    """

    instance: str
    solved: bool | None = None
    cost: float | None = None
    summary_cost: float | None = None
    turns: int | None = None
    prompt: int | None = None
    cached: int | None = None
    output: int | None = None
    contexts: int | None = None
    hidden: int | None = None
    exit_status: str = ""
    model: str = ""
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Arm:
    """The runs of one label, sorted by instance and attempt."""

    label: str
    outcomes: tuple[Outcome, ...]

    @property
    def instances(self) -> tuple[str, ...]:
        """Every instance with a run, in order."""
        return tuple(dict.fromkeys(one.instance for one in self.outcomes))

    @property
    def repeated(self) -> bool:
        """Whether some instance has several runs."""
        return len(self.instances) < len(self.outcomes)


def arm(label: str, outcomes: Iterable[Outcome]) -> Arm:
    """``outcomes`` under ``label``, the attempts at each instance numbered in the order given.

    Names come from recordings and may hold anything: they are cut short, and rid of what no terminal should be sent.
    """
    ordered = sorted(map(_printable, outcomes), key=lambda one: one.instance)
    attempts = (enumerate(group) for _, group in groupby(ordered, key=lambda one: one.instance))
    return Arm(printable(label), tuple(replace(one, attempt=number) for group in attempts for number, one in group))


def _printable(one: Outcome) -> Outcome:
    return replace(
        one, instance=printable(one.instance), exit_status=printable(one.exit_status), model=printable(one.model)
    )


def values(group: Arm, quantity: Quantity) -> dict[str, float]:
    """``quantity`` of each instance that has it known: the mean of its runs, so that an instance counts once."""
    found: dict[str, list[float]] = {}
    for one in group.outcomes:
        value = getattr(one, quantity)
        if value is not None:
            found.setdefault(one.instance, []).append(float(value))
    return {instance: float(np.mean(each)) for instance, each in found.items()}


def matched(base: Mapping[str, float], other: Mapping[str, float]) -> list[str]:
    """The instances that both have, in order."""
    return sorted(base.keys() & other.keys())
