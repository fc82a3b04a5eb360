"""Folding old turns into one running summary: when, which turns, and how the summary is shown."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from context_strategies.context import Context, Edit, Keep, Summarize, build
from context_strategies.facts import tagged_facts
from context_strategies.history import History, Kind
from context_strategies.prices import Prices, Usage
from context_strategies.refresh import BREAK_EVEN, SUMMARY_REGRET, Offer, decide
from context_strategies.strategies.base import Every, State
from context_strategies.summarizers.base import SummaryRequest
from context_strategies.terms import Terms
from context_strategies.tokens import estimate

Render = Callable[[State, History], Context]

EXPECTED_SUMMARY = 600
"""Tokens a summary is expected to have when its cost is weighed."""

WORTH_SUMMARIZING = 100
"""Estimated tokens of turns below which a summary is not asked for."""

TITLE = "[Summary of turns 1 to {last}, which are no longer shown]\n{text}"


def summary_message(text: str, last_turn: int) -> str:
    """The message that stands for the turns summarized so far."""
    return TITLE.format(last=last_turn, text=text)


def folded(state: State, history: History, rest: Sequence[Edit]) -> list[Edit]:
    """The task, the running summary, and ``rest``, which starts behind the summarized turns."""
    head = history.start_of(1)
    edits: list[Edit] = [Keep(0, head)]
    if state.summarized:
        text = summary_message(state.summary, state.summarized)
        edits.append(Summarize(head, history.end_of(state.summarized), text))
    return [*edits, *rest]


def fixed_tokens(state: State, history: History) -> int:
    """Estimated tokens of the task and the running summary, which stand before the turns not yet summarized."""
    head, stop = history.start_of(1), history.end_of(state.summarized)
    task = history.tokens(0, head) + sum(history[i].tokens for i in history.protected_in(head, stop))
    return task + (estimate(summary_message(state.summary, state.summarized)) if state.summarized else 0)


def settled(history: History) -> int:
    """The settled end of a context whose summary will be replaced: the end of the task."""
    return history.start_of(1) - 1


@dataclass(frozen=True, slots=True)
class Folding:
    """When turns are folded in: ``every`` so many turns beyond the newest ``window``; or as soon as the request reaches
    ``at_tokens``, or ``at_fraction`` of the run's limit; or, with break-even, when the saving pays for it.

    ``rolling``: every so many turns of the run, down to the window, instead of so many turns at a time.
    """

    every: Every
    window: int
    at_tokens: int | None = None
    at_fraction: float | None = None
    preserve: tuple[str, ...] = ()
    rolling: bool = False

    def step(self, state: State, history: History, terms: Terms, render: Render) -> State | SummaryRequest:
        """What must be summarized now, else the state after this turn, so far shown as ``render`` has it."""
        if state.answered == history.turns:
            return state
        threshold = self.at_tokens or int((self.at_fraction or 0) * terms.limit)
        if self.every == BREAK_EVEN and not threshold:
            return self._weigh(state, history, terms.prices, render(state, history))
        last_turn = self._due(state, history, render, threshold)
        if last_turn <= state.summarized:
            return state
        return self._request(state, history, terms.prices, render(state, history), last_turn) or state

    def _due(self, state: State, history: History, render: Render, threshold: int) -> int:
        """The last turn to fold in now by count or size, 0 if none."""
        newest = history.turns - self.window
        done = max(state.summarized, state.refused)
        if threshold:
            return newest if render(state, history).tokens >= threshold else 0
        every = int(self.every)
        if self.rolling:
            return newest if history.turns % every == 0 else 0
        return done + every if newest - done >= every else 0

    def _weigh(self, state: State, history: History, prices: Prices, context: Context) -> State | SummaryRequest:
        newest = history.turns - self.window
        request = self._request(state, history, prices, context, newest)
        head = history.tokens(0, history.start_of(1))
        saving, fee = (request.limit - EXPECTED_SUMMARY, request.fee) if request else (0, 0.0)
        offer = Offer(context.tokens, saving, head, history.tokens(), history.output, fee)
        due, account = decide(state.summary_account, offer, prices, SUMMARY_REGRET)
        return request if request and due else replace(state, summary_account=account)

    def _request(
        self, state: State, history: History, prices: Prices, context: Context, last_turn: int
    ) -> SummaryRequest | None:
        """Turns up to ``last_turn`` into the summary; None if there are none, or too short ones as they are shown
        now.
        """
        newest = history.turns - self.window
        while 0 < last_turn < newest and history[history.end_of(last_turn)].tied:
            last_turn += 1  # to the end of what may only go whole
        last_turn = history.loose_end(last_turn)
        head, start, stop = history.start_of(1), history.end_of(state.summarized), history.end_of(last_turn)
        if stop <= start:
            return None
        behind = [replace(edit, start=max(edit.start, stop)) for edit in context.edits if edit.stop > stop]
        replaced = context.tokens - build(history, [Keep(0, head), *behind]).tokens
        if replaced < WORTH_SUMMARIZING:
            return None
        read = history.tokens(start, stop) + EXPECTED_SUMMARY
        return SummaryRequest(
            task="\n\n".join(m.text for m in history.messages[:stop] if m.kind is Kind.TASK),
            previous=state.summary,
            messages=tuple(history.messages[start:stop]),
            first_turn=state.summarized + 1,
            last_turn=last_turn,
            turn=history.turns,
            facts=tagged_facts(history.messages[head:stop], self.preserve),
            limit=replaced - estimate(summary_message("", last_turn)),
            fee=prices.price(Usage(read, output=EXPECTED_SUMMARY)),
        )
