"""What turns old turns into text: the protocol, and what passes through it."""

from dataclasses import dataclass
from typing import Protocol

from context_strategies.history import Message
from context_strategies.prices import Usage


@dataclass(frozen=True, slots=True)
class SummaryRequest:
    """What a summarizer is given.

    ``messages`` are whole turns, unmasked, oldest first, numbered ``first_turn`` to ``last_turn``. ``previous`` is the
    running summary they are to be folded into, empty the first time; ``turn`` the turn after which it is asked for.
    ``facts`` are to be kept verbatim. ``limit`` is the size, in estimated tokens, from which on a summary would not be
    worth having. ``fee`` is what the call is expected to cost, in US dollars.
    """

    task: str
    previous: str
    messages: tuple[Message, ...]
    first_turn: int
    last_turn: int
    turn: int = 0
    facts: tuple[str, ...] = ()
    limit: int = 0
    fee: float = 0.0


@dataclass(frozen=True, slots=True)
class Summary:
    """A summarizer's answer: its text, who made it, and what the call used and cost (US dollars), where known."""

    text: str
    by: str
    usage: Usage | None = None
    cost: float | None = None


class Summarizer(Protocol):
    """Anything that makes a summary; it may raise :class:`SummarizerError`, and nothing else on purpose."""

    @property
    def name(self) -> str:
        """How tables and events call it."""
        ...

    def __call__(self, request: SummaryRequest) -> Summary:
        """The summary asked for."""
        ...


class SummarizerError(Exception):
    """A summary could not be had; the message says why in one line."""
