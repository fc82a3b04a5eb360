"""What a session did, as typed events, written as JSON Lines beside the run."""

import json
import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

LOG = logging.getLogger("context_strategies")

EVENTS_FILE = "context.jsonl"
"""The file of events in a folder of one run; among the files of several ``NAME.context.jsonl``."""

SDK_EVENTS_FILE = "context-strategies.jsonl"
"""The same in the folder that the OpenHands SDK keeps a conversation in."""


def holds_events(path: Path) -> bool:
    """Whether ``path`` has the name of a file of events."""
    return path.name in {EVENTS_FILE, SDK_EVENTS_FILE} or path.name.endswith(f".{EVENTS_FILE}")


@dataclass(frozen=True, slots=True)
class Step:
    """One request: sizes are estimated tokens, ``before`` of the whole history, ``after`` of the context, ``shared`` of
    the prefix it has in common with the request before. Turns up to ``boundary`` are masked, up to ``summarized`` stand
    in the summary; ``hidden`` counts messages that are masked or gone. ``reason`` says what changed, if anything
    did.
    """

    turn: int
    before: int
    after: int
    shared: int
    hidden: int
    boundary: int = 0
    summarized: int = 0
    reason: str = ""
    event: Literal["step"] = "step"


@dataclass(frozen=True, slots=True)
class Condensed:
    """One summary: turns ``first_turn`` to ``last_turn`` in ``tokens`` (estimated) instead of ``replaced``, by ``by``;
    and what the call used and cost (US dollars), where known.
    """

    turn: int
    first_turn: int
    last_turn: int
    by: str
    tokens: int
    replaced: int
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    event: Literal["condensed"] = "condensed"


@dataclass(frozen=True, slots=True)
class Fallback:
    """Something that failed or broke a rule, and what was done instead."""

    turn: int
    reason: str
    instead: str
    event: Literal["fallback"] = "fallback"


Event = Step | Condensed | Fallback
Record = Callable[[Event], None]


class JsonLines:
    """Appends events to a file, one JSON object a line; a disk that can't take them is said once and never fatal."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._failed = False

    def __call__(self, event: Event) -> None:
        """Write ``event``."""
        if self._failed:
            return
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(event), ensure_ascii=True) + "\n")
        except OSError as error:
            self._failed = True
            LOG.warning("events of this run are no longer written to %s: %s", self._path, error)
