"""One conversation: drives a strategy, calls its summarizer, falls back, records what it did. Never raises."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from context_strategies.condensing import Condensing, line_of, name_of
from context_strategies.context import Context, Keep, build, weigh
from context_strategies.events import LOG, Event, Fallback, Record, Step
from context_strategies.history import History, Kind, Message
from context_strategies.measure import common
from context_strategies.strategies import Masking, State, Strategy
from context_strategies.strategies.folding import Folding
from context_strategies.summarizers import Extractive, Summarizer, SummaryRequest
from context_strategies.terms import Terms
from context_strategies.tighten import Tight, overlay, tighten

SUMMARIES_A_TURN = 4
"""Summary requests answered after one turn; a strategy that asks for more is not making progress."""


class Session:
    """Feed it each new message once; ask it for the context of each request.

    The strategy is stepped once a turn, with the history as it stands then, so it can't look ahead, and messages fed
    one turn at a time give what they give fed all at once. ``moves`` counts boundary moves and summaries.
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
        self._condense = Condensing(summarizer or Extractive(), self._event, self._fall_back)
        self._record = record
        self.restart()

    def restart(self) -> None:
        """Forget the conversation: the next message is the first of a new one."""
        self.history = History()
        self.strategy = self._given
        self._tight = Tight()
        self._turn = 0
        self.moves = 0
        self._past = False
        self._reasons: list[str] = []
        self._context: Context | None = None
        self._shrunk = False
        self._state: Any = None
        self._start()

    @property
    def state(self) -> Any:
        """The strategy's own state."""
        return self._state

    @property
    def tight(self) -> Tight:
        """How far what is shown has been tightened."""
        return self._tight

    def resume(self, state: Any, turn: int, tight: Tight) -> None:
        """Go on from what an earlier session had come to after ``turn``: to be called before anything is fed."""
        self._state, self._turn, self._tight = state, turn, tight

    def feed(self, messages: Iterable[Message], *, past: bool = False) -> None:
        """Append ``messages`` to the conversation and let the strategy follow.

        Of ``past`` ones, of a run gone on with, no event is recorded, and no summary is asked for: those that they
        asked for are known to the caller.
        """
        self._past = past
        for message in messages:
            if message.kind is Kind.ACTION:
                self._follow()
            self.history.append(message)
        self._follow()

    def context(self, *, past: bool = False) -> Context:
        """What the model is to be shown now; the same until new messages are fed.

        A request of the ``past``, in a run gone on with, is not recorded again.
        """
        self._past = past
        if self._context is None or self._context.length != len(self.history) or self._shrunk:
            self._shrunk = False
            before, now = self._context, self._render()
            self._context = now.marked(before)
            if self._record and not past:
                self._event(self._step_event(before, self._context))
            self._reasons.clear()
        return self._context

    def preview(self) -> Context:
        """What :meth:`context` would give now, without its marks, and not recorded as a request."""
        return self._render()

    def shrink(self) -> bool:
        """Tighten to half of what is shown now, which the model has refused as too long; whether anything could go."""
        before = self._tight
        self._tighten(overlay(before, self._rendered()).tokens // 2)
        went = self._tight != before
        self._shrunk = self._shrunk or went
        return went

    def summarize_now(self) -> None:
        """Have the strategy, if it makes summaries, make one now, of all but the newest turns."""
        folding = getattr(self.strategy, "folding", None)
        if not isinstance(folding, Folding):
            return
        newest = (self.history.turns - self._state.summarized) // 2
        eager = replace(folding, at_tokens=1, window=min(folding.window, newest))
        state = replace(self._state, answered=0)
        request = eager.step(state, self.history, self.terms, lambda *_: self._rendered())
        if isinstance(request, SummaryRequest):
            self._state = self.strategy.summarized(self._state, request, self._summarize(request))
            self._shrunk = True

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
            self._tighten(self.terms.limit)

    def _step(self) -> None:
        for _ in range(SUMMARIES_A_TURN):
            outcome = self.strategy.step(self._state, self.history, self.terms)
            if not isinstance(outcome, SummaryRequest):
                if outcome is not self._state:
                    self._note_moves(outcome)
                self._state = outcome
                return
            if self._past:
                return
            self._state = self.strategy.summarized(self._state, outcome, self._summarize(outcome))
        self._fall_back("the strategy asked for a summary again and again", "waits for the next turn")

    def _note_moves(self, state: object) -> None:
        old, new = _turns(self._state, "boundary"), _turns(state, "boundary")
        if old != new:
            self.moves += 1
            self._reasons.append(f"boundary moved from turn {old} to {new}")

    def _summarize(self, request: SummaryRequest) -> str | None:
        text = self._condense(request, self._turn)
        if text is not None:
            self.moves += 1
            self._reasons.append(f"turns {request.first_turn} to {request.last_turn} summarized")
        return text

    def _tighten(self, limit: int) -> None:
        try:
            context = self._rendered()
            tight = tighten(self._tight, context, limit)
            if tight != self._tight:
                self._reasons.append(f"tightened to fit {limit} tokens")
            self._tight = tight
        except Exception as error:  # noqa: BLE001 - never fatal
            self._fall_back(line_of(error), "not tightened")

    def _render(self) -> Context:
        try:
            context = _checked(overlay(self._tight, self._rendered()), self.history)
        except Exception as error:  # noqa: BLE001 - never fatal
            self._fall_back(line_of(error), "the whole history is shown")
            context = build(self.history, [Keep(0, len(self.history))])
        known = self._context.corrections if self._context else ()
        for correction in context.corrections:
            if correction not in known:
                self._fall_back(correction, "the nearest context that breaks no rule")
        return context

    def _rendered(self) -> Context:
        try:
            return _checked(self.strategy.render(self._state, self.history), self.history)
        except Exception as error:  # noqa: BLE001 - never fatal: a strategy is anyone's code
            self._replace_strategy(error)
            return self.strategy.render(self._state, self.history)

    def _replace_strategy(self, error: Exception) -> None:
        """Go on with masking; what was hidden so far stays hidden."""
        self._fall_back(f"strategy {name_of(self.strategy)}: {line_of(error)}", "masking from here on")
        hidden = max(_turns(self._state, "boundary"), _turns(self._state, "summarized"))
        self.strategy = Masking()
        self._state = State(boundary=min(hidden, self.history.turns))

    def _fall_back(self, reason: str, instead: str) -> None:
        LOG.warning("%s; instead: %s", reason, instead)
        self._event(Fallback(self._turn, reason, instead))

    def _event(self, event: Event) -> None:
        if self._record is None or self._past:
            return
        try:
            self._record(event)
        except Exception as error:  # noqa: BLE001 - never fatal: a recorder is anyone's code
            LOG.warning("event not recorded: %s", line_of(error))

    def _step_event(self, before: Context | None, now: Context) -> Step:
        shared = now.tokens_before(common(before, now)) if before else 0
        return Step(
            turn=self.history.turns,
            before=self.history.tokens(),
            after=now.tokens,
            shared=shared,
            hidden=now.hidden,
            boundary=max(_turns(self._state, "boundary"), self._tight.boundary),
            summarized=max(_turns(self._state, "summarized"), self._tight.folded),
            reason="; ".join(self._reasons),
        )


def _checked(context: object, history: History) -> Context:
    """``context`` if it is one of ``history`` as it stands; raises whatever making its placeholders raises."""
    if not isinstance(context, Context) or context.history is not history or context.length != len(history):
        raise TypeError("render gave something else than a context of the history it was shown")
    for edit in context.edits:
        weigh(history, edit)
    return context


def _turns(state: object, field: str) -> int:
    """A count of turns in ``state``, which is the strategy's own and may have no such field."""
    turns = getattr(state, field, 0)
    return turns if isinstance(turns, int) else 0
