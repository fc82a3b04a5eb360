"""One conversation: drives a strategy, calls its summarizer, falls back, records what it did. Never raises."""

from collections.abc import Iterable

from context_strategies.context import Context, Keep, build
from context_strategies.events import LOG, Condensed, Event, Fallback, Record, Step
from context_strategies.history import History, Kind, Message
from context_strategies.measure import Measure
from context_strategies.strategies import Masking, Strategy
from context_strategies.strategies.folding import summary_message
from context_strategies.summarizers import (
    Extractive,
    Summarizer,
    Summary,
    SummaryRequest,
    keep_facts_verbatim,
)
from context_strategies.terms import Terms
from context_strategies.tighten import Tight, overlay, tighten
from context_strategies.tokens import ESTIMATE, estimate

SUMMARIES_A_TURN = 4
"""Summary requests answered after one turn; a strategy that asks for more is not making progress."""


class Session:
    """Feed it each new message once; ask it for the context of each request.

    The strategy is stepped once a turn, with the history as it stands then, so it can't look ahead, and messages fed one
    turn at a time give what they give fed all at once.
    """

    def __init__(
        self,
        strategy: Strategy,
        terms: Terms | None = None,
        summarizer: Summarizer | None = None,
        record: Record | None = None,
    ) -> None:
        self.terms = terms or Terms()
        self._given = strategy
        self._summarizer = summarizer or Extractive()
        self._record: Record = record or (lambda _event: None)
        self.restart()

    def restart(self) -> None:
        """Forget the conversation: the next message is the first of a new one."""
        self.history = History()
        self.strategy = self._given
        self._sizes: list[int] = []
        self._measure = Measure(self.history, self._sizes, ESTIMATE.count)
        self._tight = Tight()
        self._turn = 0
        self._reasons: list[str] = []
        self._context: Context | None = None
        self._start()

    def feed(self, messages: Iterable[Message]) -> None:
        """Append ``messages`` to the conversation and let the strategy follow."""
        for message in messages:
            if message.kind is Kind.ACTION:
                self._follow()
            self.history.extend([message])
            self._sizes.append(message.tokens)
        self._follow()

    def context(self) -> Context:
        """What the model is to be shown now; the same until new messages are fed."""
        if self._context is None or self._context.length != len(self.history):
            before, self._context = self._context, self._render()
            self._event(self._step_event(before, self._context))
            self._reasons.clear()
        return self._context

    def _start(self) -> None:
        try:
            self._state = self.strategy.start()
        except Exception as error:  # noqa: BLE001 - never fatal: a strategy is anyone's code
            self._replace_strategy(error)

    def _follow(self) -> None:
        """Step the strategy if a turn has ended since the last time."""
        if self.history.turns <= self._turn:
            return
        self._turn = self.history.turns
        try:
            self._step()
        except Exception as error:  # noqa: BLE001 - never fatal: a strategy is anyone's code
            self._replace_strategy(error)
        if self.terms.limit:
            self._tighten()

    def _step(self) -> None:
        for _ in range(SUMMARIES_A_TURN):
            outcome = self.strategy.step(self._state, self.history, self.terms)
            if not isinstance(outcome, SummaryRequest):
                self._note_moves(outcome)
                self._state = outcome
                return
            self._state = self.strategy.summarized(self._state, outcome, self._summarize(outcome))
        self._fall_back("the strategy asked for a summary again and again", "waits for the next turn")

    def _note_moves(self, state: object) -> None:
        old, new = getattr(self._state, "boundary", 0), getattr(state, "boundary", 0)
        if old != new:
            self._reasons.append(f"boundary moved from turn {old} to {new}")

    def _summarize(self, request: SummaryRequest) -> str | None:
        """A summary with the facts in it that is shorter than what it replaces: the summarizer's, else the digest."""
        for summarizer in (self._summarizer, Extractive()):
            try:
                summary = summarizer(request)
                text = keep_facts_verbatim(summary.text, request.facts)
            except Exception as error:  # noqa: BLE001 - never fatal: a summarizer is anyone's code
                self._fall_back(f"summarizer {_name(summarizer)}: {_line(error)}", "the next in line")
                continue
            tokens = estimate(summary_message(text, request.last_turn))
            self._event(_condensed(self._turn, request, summary, tokens))
            if not summary.text.strip():
                self._fall_back(f"summarizer {_name(summarizer)}: empty summary", "the next in line")
            elif tokens >= request.limit:
                reason = f"summary of {tokens} tokens is no shorter than the {request.limit} it replaces"
                self._fall_back(reason, "the next in line")
            else:
                self._reasons.append(f"turns {request.first_turn} to {request.last_turn} summarized")
                return text
        self._fall_back("no summary could be had", "those turns are masked")
        return None

    def _tighten(self) -> None:
        try:
            context = self._rendered()
            tight = tighten(self._tight, context, self.terms.limit)
            if tight != self._tight:
                self._reasons.append(f"tightened to fit {self.terms.limit} tokens")
            self._tight = tight
        except Exception as error:  # noqa: BLE001 - never fatal
            self._fall_back(_line(error), "not tightened")

    def _render(self) -> Context:
        try:
            context = overlay(self._tight, self._rendered())
        except Exception as error:  # noqa: BLE001 - never fatal
            self._fall_back(_line(error), "the whole history is shown")
            context = build(self.history, [Keep(0, len(self.history))])
        for correction in context.corrections:
            self._fall_back(correction, "the nearest context that breaks no rule")
        return context

    def _rendered(self) -> Context:
        try:
            return self.strategy.render(self._state, self.history)
        except Exception as error:  # noqa: BLE001 - never fatal: a strategy is anyone's code
            self._replace_strategy(error)
            return self.strategy.render(self._state, self.history)

    def _replace_strategy(self, error: Exception) -> None:
        self._fall_back(f"strategy {_name(self.strategy)}: {_line(error)}", "masking from here on")
        self.strategy = Masking()
        self._state = self.strategy.start()

    def _fall_back(self, reason: str, instead: str) -> None:
        LOG.warning("%s; instead: %s", reason, instead)
        self._event(Fallback(self._turn, reason, instead))

    def _event(self, event: Event) -> None:
        try:
            self._record(event)
        except Exception as error:  # noqa: BLE001 - never fatal: a recorder is anyone's code
            LOG.warning("event not recorded: %s", _line(error))

    def _step_event(self, before: Context | None, now: Context) -> Step:
        shared = self._measure.shared(before, now).tokens if before else 0
        return Step(
            turn=self.history.turns,
            before=self.history.tokens(),
            after=now.tokens,
            shared=shared,
            hidden=now.hidden,
            boundary=max(getattr(self._state, "boundary", 0), self._tight.boundary),
            summarized=max(getattr(self._state, "summarized", 0), self._tight.folded),
            reason="; ".join(self._reasons),
        )


def _condensed(turn: int, request: SummaryRequest, summary: Summary, tokens: int) -> Condensed:
    usage = summary.usage
    return Condensed(
        turn=turn,
        first_turn=request.first_turn,
        last_turn=request.last_turn,
        by=summary.by,
        tokens=tokens,
        replaced=request.limit,
        prompt_tokens=usage.prompt if usage else None,
        output_tokens=usage.output if usage else None,
        cost=summary.cost,
    )


def _name(part: object) -> str:
    for attribute in ("name", "type"):
        name = getattr(part, attribute, None)
        if isinstance(name, str):
            return name
    return type(part).__name__


def _line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:500]
