"""What a processor learns from the agent that calls it: its model's prices and limit, its chain, its run's files.

SWE-agent hands a processor the history and nothing else, so the agent is found on the call stack.
"""

import inspect
import logging
import sys
from contextlib import suppress
from dataclasses import replace
from typing import Any

from context_strategies.catalogue import prices_of
from context_strategies.events import LOG, JsonLines, Record
from context_strategies.prices import Prices, relative
from context_strategies.terms import Terms, terms_for
from swe_agent_plugin.marks import MARK

FRAMES = 8
"""Callers looked at: the agent is the second or third."""

SUFFIX = ".context.jsonl"
"""What takes the place of ``.traj`` in the name of the file of events."""

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


def terms_of(strategy: object, agent: Any) -> Terms:
    """The terms of ``agent``'s run: its model's prices and input limit, and whether its prompts are cached."""
    try:
        prices = _prices(agent)
    except Exception as error:  # noqa: BLE001 - never fatal: without prices the usual ratios are assumed
        LOG.warning("prices of the run's model: %r; instead: the usual ratios", error)
        prices = relative()
    marked, rates = marks_prompts(agent), prices.rates(0)
    if prices.explicit and not marked and getattr(strategy, "cache", "auto") == "auto":
        LOG.warning(UNMARKED, prices.model)
    by_itself = not prices.explicit and rates.cache_read < rates.input
    return terms_for(strategy, prices, cached=by_itself or marked)


def _prices(agent: Any) -> Prices:
    model = getattr(agent, "model", None)
    config = getattr(model, "config", None)
    # The table litellm works with now, rather than its file: it has what the user's own registry added.
    table = getattr(sys.modules.get("litellm"), "model_cost", None)
    prices = prices_of(str(getattr(config, "name", "")), table)
    limit = getattr(config, "max_input_tokens", None) or prices.limit
    return replace(prices, limit=int(limit))


def record_of(agent: Any) -> Record | None:
    """Writes events beside the agent's ``.traj``, in a file begun anew; None where the agent writes none."""
    path = getattr(agent, "traj_path", None)
    if path is None:
        return None
    events = path.with_suffix(SUFFIX)
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
