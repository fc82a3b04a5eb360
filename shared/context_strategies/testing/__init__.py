"""A scripted model to test and show agents with: no key, no network, and a record of every request."""

from context_strategies.testing.script import (
    Call,
    Step,
    call,
    context_exceeded,
    fail,
    hang,
    parallel,
    run,
    say,
    step_of,
    too_long,
)
from context_strategies.testing.server import Record, ScriptedModel

__all__ = [
    "Call",
    "Record",
    "ScriptedModel",
    "Step",
    "call",
    "context_exceeded",
    "fail",
    "hang",
    "parallel",
    "run",
    "say",
    "step_of",
    "too_long",
]
