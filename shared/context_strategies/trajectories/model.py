"""What a reader makes of a recorded run."""

from dataclasses import dataclass

from context_strategies.fields import printable
from context_strategies.history import History
from context_strategies.prices import Usage


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the agent's model: what it saw of the raw history, and what it was recorded to cost.

    ``upto`` is how many messages of the raw history its request could hold (its answer is the next action, if it gave
    one). ``cost`` is in US dollars.
    """

    upto: int
    usage: Usage | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """Calls of a whole run, of any purpose, and the tokens they read and wrote: where single calls tell no usage."""

    calls: int
    prompt: int
    output: int


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One recorded run: the whole raw history, and the calls made over it.

    ``id`` is the instance or conversation; ``source`` the file or folder it was read from; ``condensed`` tells that the
    recording scaffold itself had edited what it sent, so that recorded usage is not the raw history's; ``cost`` the
    recorded total in US dollars; ``side_calls`` calls of other purpose (the scaffold's own summaries, say), with no
    place in the history; ``lost`` says in short plain sentences what the recording had and the history has not, or what
    it should have had; ``totals`` stands in for the usage of calls where none has one of its own.
    """

    id: str
    source: str
    format: str
    model: str
    history: History
    calls: tuple[Call, ...]
    exit_status: str = ""
    condensed: bool = False
    cost: float | None = None
    side_calls: tuple[Call, ...] = ()
    lost: tuple[str, ...] = ()
    totals: Totals | None = None

    def __post_init__(self) -> None:
        for name in ("id", "model", "exit_status"):  # what terminals are sent, from recordings that may hold anything
            object.__setattr__(self, name, printable(getattr(self, name)))


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file or folder that gave no run, and why, in one line."""

    source: str
    reason: str

    def __str__(self) -> str:
        return printable(f"{self.source}: {self.reason}")
