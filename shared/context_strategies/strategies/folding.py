"""Folding old turns into one running summary: when, which turns, and how the summary is shown."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from context_strategies.context import Context, Edit, Keep, Summarize, build
from context_strategies.facts import MOST_TAGGED, tagged_facts, used_facts
from context_strategies.history import History
from context_strategies.prices import Prices, Usage
from context_strategies.refresh import BREAK_EVEN, SUMMARY_REGRET, Offer, decide
from context_strategies.strategies.base import Every, State
from context_strategies.strategies.boundary import MASKED
from context_strategies.summarizers.base import SummaryRequest
from context_strategies.summarizers.keep import listed_facts
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


def shown(state: State, history: History) -> Context:
    """The task, which alone is settled, the summary, and the turns behind it, masked where no summary could be had."""
    rest = MASKED.masked(state, history, history.end_of(state.summarized))
    return build(history, folded(state, history, rest), history.start_of(1) - 1)


@dataclass(frozen=True, slots=True)
class Folding:
    """When turns are folded in: ``every`` so many turns beyond the newest ``window``; or as soon as the request reaches
    ``at_tokens``, or ``at_fraction`` of the run's limit; or, with break-even, when the saving pays for it.

    ``rolling``: every so many turns of the run, down to the window, instead of so many turns at a time. ``preserve``:
    patterns of what stays verbatim; ``carry``: what has been used stays, too.
    """

    every: Every
    window: int
    at_tokens: int | None = None
    at_fraction: float | None = None
    preserve: tuple[str, ...] = ()
    carry: bool = False
    rolling: bool = False

    def step(self, state: State, history: History, terms: Terms, render: Render) -> State | SummaryRequest:
        """What must be summarized now, else the state after this turn, so far shown as ``render`` has it."""
        if state.answered == history.turns:
            return state
        threshold = self.at_tokens or int((self.at_fraction or 0) * terms.limit)
        if self.every == BREAK_EVEN and not threshold:
            return self._weigh(state, history, terms.prices, render(state, history))
        last_turn = self._whole(history, self._due(state, history, render, threshold))
        if last_turn <= state.summarized:
            return state
        replaced = _replaced(history, render(state, history), last_turn)
        fee = _fee(state, history, terms.prices, last_turn)
        return self._request(state, history, last_turn, replaced, fee) if replaced >= WORTH_SUMMARIZING else state

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

    def _whole(self, history: History, last_turn: int) -> int:
        """``last_turn``, moved so that what may only go whole goes whole or not at all."""
        while 0 < last_turn < history.turns - self.window and history[history.end_of(last_turn)].tied:
            last_turn += 1
        return history.loose_end(last_turn)

    def _weigh(self, state: State, history: History, prices: Prices, context: Context) -> State | SummaryRequest:
        last_turn = max(self._whole(history, history.turns - self.window), state.summarized)
        replaced = _replaced(history, context, last_turn) if last_turn > state.summarized else 0
        fee = _fee(state, history, prices, last_turn)
        saving = replaced - EXPECTED_SUMMARY if replaced >= WORTH_SUMMARIZING else 0
        head = history.tokens(0, history.start_of(1))
        offer = Offer(context.tokens, saving, head, history.tokens(), history.output, fee)
        due, account = decide(state.summary_account, offer, prices, SUMMARY_REGRET)
        if due:
            return self._request(state, history, last_turn, replaced, fee)
        return replace(state, summary_account=account)

    def _request(self, state: State, history: History, last_turn: int, replaced: int, fee: float) -> SummaryRequest:
        """What to ask for so that turns up to ``last_turn``, now shown in ``replaced`` tokens, stand in the summary."""
        head, start, stop = history.start_of(1), history.end_of(state.summarized), history.end_of(last_turn)
        task = history.tasks(stop)
        messages = tuple(history.messages[start:stop])
        uses = (
            [*listed_facts(state.summary), *used_facts(messages, history.messages[stop:], task)] if self.carry else []
        )
        return SummaryRequest(
            task="\n\n".join(message.text for message in task),
            previous=state.summary,
            messages=messages,
            first_turn=state.summarized + 1,
            last_turn=last_turn,
            turn=history.turns,
            facts=_facts(tagged_facts(history.messages[head:stop], self.preserve), uses),
            limit=replaced - estimate(summary_message("", last_turn)),
            fee=fee,
        )


def _facts(tagged: Sequence[str], uses: Sequence[str]) -> tuple[str, ...]:
    """What must stay verbatim: what is ``tagged``, and as far as there is room what has been used, the oldest of
    ``uses`` first to go.
    """
    latest = dict.fromkeys(reversed(uses))
    used = [fact for fact in latest if fact not in tagged][: MOST_TAGGED - len(tagged)]
    return (*reversed(used), *tagged)


def _replaced(history: History, context: Context, last_turn: int) -> int:
    """Estimated tokens of ``context`` that a summary of the turns up to ``last_turn`` would take the place of."""
    head, stop = history.start_of(1), history.end_of(last_turn)
    behind = [replace(edit, start=max(edit.start, stop)) for edit in context.edits if edit.stop > stop]
    return context.tokens - build(history, [Keep(0, head), *behind]).tokens


def _fee(state: State, history: History, prices: Prices, last_turn: int) -> float:
    """What the summary call is expected to cost, in US dollars: the new turns read afresh, and a summary written."""
    read = history.tokens(history.end_of(state.summarized), history.end_of(last_turn)) + EXPECTED_SUMMARY
    return prices.price(Usage(read, output=EXPECTED_SUMMARY))
