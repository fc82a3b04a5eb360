"""What a run would cost under each strategy before there is any: one of given sizes is made up, and replayed."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import count, cycle, islice
from typing import Any

from rich.console import Console
from rich.markup import escape

from context_strategies.compare.closed_forms import Sizes, closed_form
from context_strategies.compare.evaluate import Choice, Market, Result, evaluate
from context_strategies.compare.profile import break_even
from context_strategies.compare.rows import Block
from context_strategies.compare.run_rows import run_row
from context_strategies.compare.show import caption_of, dollars, plain_table
from context_strategies.errors import ConfigError
from context_strategies.history import History, Kind, Message
from context_strategies.placeholder import Placeholder
from context_strategies.prices import Usage
from context_strategies.replay import weigh
from context_strategies.strategies import Masking, Strategy
from context_strategies.summarizers import Summary, SummaryRequest
from context_strategies.terms import terms_for
from context_strategies.tokens import ESTIMATE
from context_strategies.trajectories import Call, Trajectory

MOST_TOKENS, MOST_STEPS = 5_000_000, 2_000
"""Largest run, in tokens of all its outputs and in calls: what takes seconds."""

NOTE = (
    "A made-up run: its outputs have the sizes given, its summaries one size. closed form: tokens by arithmetic, where "
    "it is exact. Nothing is said of what a strategy hides that a run needs: profile and replay do, on recorded runs."
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A strategy over the run: tokens read, the same by a ``closed`` form where there is an exact one, the largest
    request, US dollars, the ratio to raw's, and the first call from which it stays cheaper, None if there is none.
    """

    strategy: str
    prompt: int
    closed: int | None
    peak: int
    cost: float
    cost_against_raw: float
    break_even: int | None


def outputs_of(spec: str, steps: int) -> tuple[int, ...]:
    """The outputs of ``steps`` calls in tokens. ``575``: all alike; ``200..1500``: from the first to the last call
    evenly; ``100,200,300``: these in turn, from the start again where there are more calls. Raises ConfigError.
    """
    first, dots, last = spec.partition("..")
    try:
        numbers = [int(part) for part in ([first, last] if dots else spec.split(","))]
    except ValueError:
        numbers = []
    if not numbers or min(numbers) < 0:
        raise ConfigError(f"--output {spec}: give tokens, as 575, 200..1500 or 100,200,300")
    if steps > MOST_STEPS:
        raise ConfigError(f"--steps {steps}: at most {MOST_STEPS:,}")
    if dots:
        rise = (numbers[1] - numbers[0]) / max(steps - 1, 1)
        outputs = tuple(round(numbers[0] + rise * step) for step in range(steps))
    else:
        outputs = tuple(islice(cycle(numbers), steps))
    if sum(outputs) > MOST_TOKENS:
        raise ConfigError(f"--output {spec}: {sum(outputs):,} tokens in all; at most {MOST_TOKENS:,}")
    return outputs


def run_of(sizes: Sizes) -> Trajectory:
    """A run whose messages have exactly these sizes by the estimate that strategies decide by."""
    names = (f"name_{number:012x}\n" for number in count())
    messages = [Message(Kind.TASK, _text(sizes.base, names))]  # a task, since scaffolds set no cache mark on less
    for step in range(sizes.steps - 1):
        messages.append(Message(Kind.ACTION, _text(sizes.action, names), call_ids=(f"{step}",)))
        output = _text(sizes.outputs[step], names)
        messages.append(Message(Kind.OBSERVATION, output, call_ids=(f"{step}",), command="run"))
    calls = tuple(Call(1 + 2 * step, Usage(1, output=sizes.action)) for step in range(sizes.steps))
    return Trajectory("estimate", "estimate", "made up", "", History(messages), calls)


def _text(tokens: int, names: Iterable[str]) -> str:
    """A text of ``tokens`` estimated tokens, 18 bytes for five: names that a placeholder may keep, so that what keeps
    facts is not taken to keep them for nothing.
    """
    return "".join(islice(names, tokens // 5 + 1))[: tokens * 18 // 5]


@dataclass(frozen=True, slots=True)
class Fixed:
    """A summarizer whose every summary has ``tokens``."""

    tokens: int
    name: str = "fixed"

    def __call__(self, request: SummaryRequest) -> Summary:
        """A text of that size, unlike the one before it."""
        numbers = count(request.last_turn << 24)
        return Summary(_text(self.tokens, (f"fact_{number:012x}\n" for number in numbers)), self.name)


def estimated(
    sizes: Sizes, choices: Sequence[Choice], market: Market, summary: int
) -> tuple[list[Result], list[Estimate]]:
    """The run under each of ``choices``, raw first: its replays, and what tables show of them."""
    run = run_of(sizes)
    results = list(evaluate(weigh(run, ESTIMATE), choices, market, Fixed(summary)))
    raw = results[0]
    found = [
        Estimate(
            strategy=choice.label,
            prompt=result.replay.prompt,
            closed=_closed(choice.strategy, sizes, run, result),
            peak=result.replay.peak,
            cost=result.replay.cost,
            cost_against_raw=result.replay.cost / raw.replay.cost if raw.replay.cost else 1.0,
            break_even=break_even(result, raw) if result is not raw else None,
        )
        for choice, result in zip(choices, results, strict=True)
    ]
    return results, found


def _closed(strategy: Strategy, sizes: Sizes, run: Trajectory, result: Result) -> int | None:
    hide = Placeholder(strategy.placeholder, keep_lines=strategy.keep_lines) if isinstance(strategy, Masking) else None
    outputs = [message for message in run.history.messages if message.kind is Kind.OBSERVATION]
    texts = [(hide(message) if hide else None) or "" for message in outputs]
    placeholders = [*ESTIMATE.count(texts), 0]  # the last call's output is not in the history
    return closed_form(strategy, sizes, placeholders, terms_for(strategy, result.prices).limit)


def as_json(sizes: Sizes, results: Sequence[Result], found: Sequence[Estimate]) -> dict[str, Any]:
    """Everything the table shows, and what it was made from."""
    return {
        "note": NOTE,
        "counter": ESTIMATE.name,
        "prices": results[0].prices.model,
        "cache": results[0].cache,
        "sizes": asdict(sizes),
        "strategies": [asdict(one) for one in found],
    }


def print_estimates(console: Console, sizes: Sizes, results: Sequence[Result], found: Sequence[Estimate]) -> None:
    """One table."""
    title = f"{sizes.steps} calls, base {sizes.base:,}, actions of {sizes.action:,} tokens"
    table = plain_table(title, "strategy", "prompt\ntokens", "closed\nform", "peak", "$", "of raw", "pays from\ncall")
    for one in found:
        step = "never" if one.break_even is None else f"{one.break_even}"
        table.add_row(
            escape(one.strategy),
            f"{one.prompt:,}",
            "" if one.closed is None else f"{one.closed:,}",
            f"{one.peak:,}",
            dollars(one.cost),
            f"{one.cost_against_raw:.0%}",
            "" if one.strategy == "raw" else step,
        )
    block = Block()
    block.add(list(map(run_row, results)))
    table.caption = caption_of(block, ESTIMATE.name)
    console.print(table)
    console.print(NOTE, style="dim")
