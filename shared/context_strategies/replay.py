"""A recorded run under a strategy: what every call would have shown the model, and cost.

The trajectory is held fixed: a replay says what a run would have cost and shown, never what it would have solved.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from context_strategies.availability import Knowledge, Seen, knowledge_of, retained, seen
from context_strategies.cache import Cache
from context_strategies.history import Kind
from context_strategies.measure import Measure, count_messages
from context_strategies.prices import Prices, Usage
from context_strategies.session import Session
from context_strategies.strategies import Strategy, Summarized
from context_strategies.summarizers import Extractive, Summarizer, Summary, SummaryRequest
from context_strategies.terms import Terms
from context_strategies.tokens import Counter
from context_strategies.trajectories import Call, Trajectory

if TYPE_CHECKING:
    from context_strategies.context import Context

SUMMARY_PROMPT = 700
"""Tokens of a summary call's own instructions."""

SUMMARY_INPUT = 60_000
"""Most tokens of old turns that a summary call reads."""

NOTHING = Seen()
"""What is said of a call where facts are not followed."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A trajectory with each of its messages counted once."""

    trajectory: Trajectory
    sizes: Sequence[int]
    counter: Counter
    knowledge: Knowledge | None = None


def weigh(trajectory: Trajectory, counter: Counter) -> Weighed:
    """Count every message of ``trajectory`` with ``counter``."""
    return Weighed(trajectory, count_messages(trajectory.history.messages, counter.count), counter)


def with_knowledge(run: Weighed) -> Weighed:
    """``run`` with its facts, so that a replay says which of those it needs are still shown."""
    return replace(run, knowledge=knowledge_of(run.trajectory))


@dataclass(frozen=True, slots=True)
class CallReplay:
    """One call: its usage under the strategy, the request of the raw agent in tokens, what stands masked or gone, and
    how many summaries had been made before it, all calls together.
    """

    usage: Usage
    raw_prompt: int
    hidden: int
    seen: Seen = field(default_factory=Seen)
    summaries: int = 0


@dataclass(frozen=True, slots=True)
class Replay:
    """One run under one strategy. ``summaries`` are the usages of its summary calls; ``moves`` how often a boundary
    moved or a summary was renewed; ``cost`` and ``summary_cost`` (part of it) in US dollars. ``refetch_cost`` is what
    fetching again would add, each time a needed fact is hidden; ``retained`` the share of facts of all outputs that
    the last context still holds. Both need the run's knowledge.
    """

    calls: tuple[CallReplay, ...]
    summaries: tuple[Usage, ...]
    moves: int
    cost: float
    summary_cost: float
    refetch_cost: float = 0.0
    retained: float = 1.0

    @property
    def prompt(self) -> int:
        """Tokens read over all the agent's calls."""
        return sum(call.usage.prompt for call in self.calls)

    @property
    def raw_prompt(self) -> int:
        """Tokens the raw agent reads over all its calls."""
        return sum(call.raw_prompt for call in self.calls)

    @property
    def cached(self) -> int:
        """Tokens read from the cache over all the agent's calls."""
        return sum(call.usage.cached for call in self.calls)

    @property
    def peak(self) -> int:
        """Tokens of the largest request."""
        return max((call.usage.prompt for call in self.calls), default=0)


@dataclass(slots=True)
class StandIn:
    """Stands in for a model that writes summaries: the text is its ``author``'s, the usage what a model's call would
    have read and written. ``sizes`` are tokens of messages by their ``id()``, ``tokens`` counts any other text.
    """

    author: Summarizer
    sizes: Mapping[int, int]
    tokens: Callable[[str], int]
    usages: list[Usage] = field(default_factory=list)
    name: str = "stand-in"

    def __call__(self, request: SummaryRequest) -> Summary:
        """The author's text, with the usage of a model's call."""
        text = self.author(request).text
        turns = sum(self.sizes.get(id(message), message.tokens) for message in request.messages)
        extra = sum(map(self.tokens, (request.previous, request.task, *request.facts)))
        usage = Usage(min(turns, SUMMARY_INPUT) + extra + SUMMARY_PROMPT, output=self.tokens(text))
        self.usages.append(usage)
        return Summary(text, self.name, usage)


def replay(  # noqa: PLR0913 - what a replay stands on
    run: Weighed,
    strategy: Strategy,
    terms: Terms,
    cache: Callable[[], Cache],
    *,
    prices: Prices | None = None,
    author: Summarizer | None = None,
) -> Replay:
    """``run`` under ``strategy``, which decides by ``terms``; billed at ``prices`` (by default the terms') through a
    fresh ``cache``. Summaries are ``author``'s, by default the extractive digest, priced as a model's calls unless the
    strategy asks for the digest.
    """
    bill = prices or terms.prices
    history = run.trajectory.history
    raw = Measure(history, run.sizes, run.counter.count)
    stand_in = StandIn(author or Extractive(), dict(zip(map(id, history.messages), run.sizes, strict=True)), raw.text)
    free = isinstance(strategy, Summarized) and strategy.summarizer == "extractive"
    session = Session(strategy, terms, Extractive() if free else stand_in)
    measure = Measure(session.history, run.sizes, run.counter.count)
    meter = cache()
    calls: list[CallReplay] = []
    context: Context | None = None
    for call in run.trajectory.calls:
        session.feed(history.messages[len(session.history) : call.upto])
        before, context = context, session.context()
        usage = meter.usage(measure, before, context, output_of(run, call))
        told = seen(context, run.knowledge.needs[len(calls)]) if run.knowledge else NOTHING
        calls.append(CallReplay(usage, raw.span(0, call.upto), context.hidden, told, len(stand_in.usages)))
    summary_cost = sum(bill.price(usage) for usage in stand_in.usages)
    return Replay(
        calls=tuple(calls),
        summaries=tuple(stand_in.usages),
        moves=session.moves,
        cost=sum(bill.price(call.usage) for call in calls) + summary_cost,
        summary_cost=summary_cost,
        refetch_cost=sum(_refetch(run, call, bill) for call in calls),
        retained=retained(context, run.knowledge) if context and run.knowledge else 1.0,
    )


def _refetch(run: Weighed, call: CallReplay, prices: Prices) -> float:
    """What it costs to fetch again the latest output that holds a needed fact the context hides: one more turn."""
    if call.seen.refetch is None:
        return 0.0
    usage = call.usage
    again = usage.prompt + usage.output + run.sizes[call.seen.refetch]
    cached = usage.prompt if usage.cached or usage.written else 0
    return prices.price(prices.usage(again, cached, usage.output))


def output_of(run: Weighed, call: Call) -> int:
    """Tokens the model wrote in ``call``: as recorded, else those of its action."""
    if call.usage is not None and call.usage.output:
        return call.usage.output
    history = run.trajectory.history
    return run.sizes[call.upto] if call.upto < len(history) and history[call.upto].kind is Kind.ACTION else 0
