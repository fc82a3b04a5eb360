"""What a processor learns from the agent that calls it: its model's prices and limit, its chain, its run's files.

SWE-agent hands a processor the history and nothing else, so the agent is found on the call stack.
"""

import inspect
import logging
import sys
from contextlib import suppress
from typing import Any

from context_strategies.cache_marks import MARK
from context_strategies.catalogue import prices_in_use
from context_strategies.events import EVENTS_FILE, LOG, JsonLines, Record
from context_strategies.prices import Prices
from context_strategies.terms import Terms, terms_for

FRAMES = 8
"""Callers looked at: the agent is the second or third."""

UNMARKED = (
    "%s caches only what is marked, and agent.history_processors has no cache_control: every prompt is paid in full. "
    "A list in a config replaces the one before it, default.yaml's marks included."
)
"""Said once a run: the most expensive line to forget."""


def calling_agent(processor: object) -> Any | None:
    """The agent in whose chain ``processor`` is being called; None outside of one."""
    frame = inspect.currentframe()
    for _ in range(FRAMES):
        frame = frame.f_back if frame else None
        if frame is None:
            return None
        agent = frame.f_locals.get("self")
        chain = getattr(agent, "history_processors", None)
        if isinstance(chain, list) and any(link is processor for link in chain):
            return agent
    return None


def marks_prompts(agent: Any) -> bool:
    """Whether the run sets cache marks: SWE-agent's ``cache_control`` is in its chain."""
    return any(getattr(link, "type", "") == MARK for link in getattr(agent, "history_processors", ()))


def prices_of(agent: Any) -> Prices:
    """The prices and the input limit of ``agent``'s model."""
    config = getattr(getattr(agent, "model", None), "config", None)
    return prices_in_use(str(getattr(config, "name", "")), getattr(config, "max_input_tokens", None))


def terms_of(strategy: object, agent: Any, prices: Prices) -> Terms:
    """The terms of ``agent``'s run at ``prices``: whether its prompts are cached is up to its chain."""
    marks = marks_prompts(agent)
    if prices.explicit and not marks and getattr(strategy, "cache", "auto") == "auto":
        LOG.warning(UNMARKED, prices.model)
    return terms_for(strategy, prices, cached=prices.caches(marks=marks))


def record_of(agent: Any) -> Record | None:
    """Writes events beside the agent's ``.traj``, in a file begun anew; None where the agent writes none."""
    path = getattr(agent, "traj_path", None)
    if path is None:
        return None
    events = path.with_suffix(f".{EVENTS_FILE}")
    with suppress(OSError):  # what can't be removed can't be written either, which is said then
        events.unlink(missing_ok=True)
    return JsonLines(events)


class ToSweAgent(logging.Handler):
    """Passes the core's warnings on to SWE-agent's logger, which knows the instance by the thread."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log ``record`` there."""
        try:
            from sweagent.utils.log import get_logger  # noqa: PLC0415 - SWE-agent's, and loaded by then

            get_logger("swea-context", emoji="✂️").log(record.levelno, "%s", self.format(record))
        except Exception:  # noqa: BLE001 - logging's own rule: what fails to be logged is no error of the program
            self.handleError(record)


def log_to_sweagent() -> None:
    """From now on the core's warnings go to SWE-agent's logger, where it runs; a second call changes nothing."""
    if "sweagent" in sys.modules and not any(isinstance(handler, ToSweAgent) for handler in LOG.handlers):
        LOG.addHandler(ToSweAgent())
