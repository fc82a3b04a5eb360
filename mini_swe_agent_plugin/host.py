"""What a model class of mini-swe-agent has to find out by itself: prices, where a run is saved, whether a request was
too long.
"""

import inspect
import json
import logging
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from litellm.exceptions import ContextWindowExceededError
from litellm.litellm_core_utils.exception_mapping_utils import ExceptionCheckers

from context_strategies.catalogue import prices_in_use
from context_strategies.events import EVENTS_FILE, LOG, Event
from context_strategies.prices import Prices
from context_strategies.terms import Terms, terms_for

FRAMES = 5
"""Callers looked at: the agent is the second."""


def prices_of(model: Any) -> Prices:
    """The prices and the input limit of ``model``."""
    return prices_in_use(str(getattr(model.config, "model_name", "")))


def terms_of(strategy: object, model: Any, prices: Prices) -> Terms:
    """The terms of a run with ``model`` at ``prices``: whether its prompts are cached is up to its setting."""
    marks = bool(getattr(model.config, "set_cache_control", None))
    return terms_for(strategy, prices, cached=prices.caches(marks=marks))


def too_long(error: Exception) -> bool:
    """Whether ``error`` says that a request was longer than the model takes, whichever client raised it."""
    known = isinstance(error, ContextWindowExceededError)
    return known or ExceptionCheckers.is_error_str_context_window_exceeded(str(error))


def saving(model: object) -> tuple[object, Path | None]:
    """The messages of the agent that has ``model`` serialize itself, and the file it saves them in; None where unknown.

    A model is told neither: both are found on the call stack.
    """
    messages, frame = None, inspect.currentframe()
    for _ in range(FRAMES):
        frame = frame.f_back if frame else None
        if frame is None:
            break
        agent = frame.f_locals.get("self")
        if getattr(agent, "model", None) is model:
            messages = getattr(agent, "messages", None)
            path = frame.f_locals.get("path")
            if isinstance(path, Path):
                return messages, path
    return messages, None


def write(events: Iterable[Event], saved: Path) -> str:
    """Write ``events`` beside the trajectory ``saved``, one JSON object a line; what went wrong, if anything did.

    The file is written whole each time, as the trajectory is: it never tells of another run.
    """
    path = saved.with_name(f"{saved.name.removesuffix('.json').removesuffix('.traj')}.{EVENTS_FILE}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(asdict(event)) + "\n" for event in events), encoding="utf-8")
    except OSError as error:
        return f"events of this run are not written to {path}: {error.strerror or error}"
    return ""


class ToMini(logging.Handler):
    """Passes the core's warnings on to mini-swe-agent's logger, which prints them and writes a batch's log file."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log ``record`` there, as plain text: it may quote a model or a tool, and their console reads markup."""
        record.markup = False
        logging.getLogger("minisweagent.context").handle(record)


def log_to_mini() -> None:
    """From now on the core's warnings go to mini-swe-agent's logger; a second call changes nothing."""
    if not any(isinstance(handler, ToMini) for handler in LOG.handlers):
        LOG.addHandler(ToMini())
