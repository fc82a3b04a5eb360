"""Plain conversations with figures a reader can follow."""

from collections.abc import Callable
from dataclasses import dataclass, field

from context_strategies import Context, History, Session
from context_strategies.history import Kind, Message
from context_strategies.summarizers import Summary, SummaryRequest

SYSTEM = Message(Kind.SYSTEM, "You fix bugs.")
TASK = Message(Kind.TASK, "Find the needle in src.")
HEAD = [SYSTEM, TASK]


def action(turn: int, *more_calls: str) -> Message:
    return Message(Kind.ACTION, f"Step {turn}: look on.", call_ids=(f"call_{turn}", *more_calls))


def output(turn: int, text: str = "", call_id: str = "", tags: frozenset[str] = frozenset()) -> Message:
    """What the command of a turn printed: 40 lines, about 280 tokens, unless ``text`` says otherwise."""
    text = text or f"src/straw.py:{turn}: no needle\n" * 40
    return Message(Kind.OBSERVATION, text, call_ids=(call_id or f"call_{turn}",), command=f"grep {turn}", tags=tags)


def turn(number: int) -> list[Message]:
    return [action(number), output(number)]


def conversation(turns: int) -> list[Message]:
    """The head, then so many turns of one call and its output each."""
    return [*HEAD, *(message for number in range(1, turns + 1) for message in turn(number))]


def play(session: Session, turns: int, check: Callable[[int, Context], None] = lambda *_: None) -> Session:
    """Feed a session that many turns one by one, as a loop does, and ``check`` the context after each."""
    session.feed(HEAD)
    for number in range(1, turns + 1):
        session.feed(turn(number))
        check(number, session.context())
    return session


def masked(context: Context) -> list[int]:
    """Turns of which an output is shown as a placeholder."""
    places = [part.place for part in context if part.place is not None and part.text is not None]
    return [context.history.turn_of(place) for place in places]


def whole(context: Context) -> list[int]:
    """Turns of which the output is shown in full."""
    history: History = context.history
    places = [part.place for part in context if part.place is not None and part.text is None]
    return [history.turn_of(place) for place in places if history[place].kind is Kind.OBSERVATION]


def summaries(context: Context) -> list[str]:
    return [part.text or "" for part in context if part.place is None]


@dataclass
class Scribe:
    """A summarizer that notes what it is asked, and answers shortly."""

    asked: list[SummaryRequest] = field(default_factory=list)
    name: str = "scribe"

    def __call__(self, request: SummaryRequest) -> Summary:
        self.asked.append(request)
        return Summary(f"Summary number {len(self.asked)}.", self.name, cost=0.01)
