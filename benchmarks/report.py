"""The field report's 14-step research run under each strategy, beside the figures the report gives.

    python benchmarks/report.py

A scripted agent looks fourteen things up. A user id stands in what step 4 gave and is needed in step 12: where the
request does not show it any more, the agent looks it up again. Prints two Markdown tables for outputs of one size and
two for outputs that grow. Sizes are the fixed estimate that strategies decide by (UTF-8 bytes / 3.6).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from context_strategies.chat import Manager
from context_strategies.events import Condensed, Event, Step
from context_strategies.messages import ChatMessage
from context_strategies.prices import Prices, Usage, relative
from context_strategies.summarizers import Extractive, Summary, SummaryRequest, render
from context_strategies.tokens import BYTES_PER_TOKEN, estimate

STEPS, SEEN, NEEDED = 14, 4, 12
USER_ID = "usr_7f3a9c21"
CALL = 20
"""Tokens the agent writes in each step; part of the step's size."""

EVERY, BUFFER = 4, 2
SUMMARY, INSTRUCTIONS = 300, 150
"""Tokens of a summary, and of the instructions that ask for one, in the closed form."""

INPUT, AT_STEP_12, OVERHEAD, SAVED = 84_000, 9_200, 4_500, 70_000
"""What the report says: input of the run kept whole, scratchpad at step 12, the compressor's tokens, tokens saved."""
NEAR = 0.025
"""How far off a figure of the report may be and still pass for the same."""

MASKING = "masking:window=2,refresh=1"
PRESERVE: Mapping[str, Any] = {"type": "rolling_summary", "preserve": [r"\busr_\w+"]}
STRATEGIES: tuple[tuple[str, str | Mapping[str, Any], bool], ...] = (
    ("raw", "raw", False),
    ("truncation, 3,000 tokens", "truncation", False),
    ("masking, window 2", MASKING, False),
    ("masking, window 2, 20 facts kept", f"{MASKING},keep_facts=20", False),
    ("masking, window 1, 40 facts kept", "masking:window=1,refresh=1,keep_facts=40", False),
    ("rolling summary", "rolling_summary", False),
    ("rolling summary, ids preserved", PRESERVE, False),
    ("rolling summary, the agent tags the id", "rolling_summary", True),
)
"""Name, strategy, and whether the agent writes ``<keep>`` around the id in the step after it saw it."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How large the run is, in tokens: ``base`` before the first step, then each step with its output."""

    name: str
    base: int
    first: int
    growth: int

    def sizes(self, steps: int = STEPS) -> list[int]:
        """The size of each step."""
        return [self.first + self.growth * step for step in range(steps)]

    def raw(self, steps: int = STEPS) -> int:
        """Input tokens of all calls if everything stays: the output of step ``i`` is read by all calls behind it."""
        return steps * self.base + sum(size * (steps - i) for i, size in enumerate(self.sizes(steps), 1))

    def least(self, steps: int = STEPS) -> int:
        """Input tokens if a call sees the base and the newest two outputs, and nothing stands for the others."""
        sizes = self.sizes(steps)
        return steps * self.base + sum(sum(sizes[max(call - BUFFER, 0) : call]) for call in range(steps))

    def read_once(self, steps: int = STEPS) -> int:
        """Tokens of the steps that are in the summary in the end: a compressor has read them at least once."""
        return sum(self.sizes(steps)[: _folded(steps - 1)])

    def rolling(self, steps: int = STEPS) -> int:
        """Input tokens with a rolling summary, and all that its calls read and write."""
        sizes, total, done = self.sizes(steps), steps * self.base, 0
        for call in range(steps):
            folded = _folded(call)
            if folded > done:
                total += INSTRUCTIONS + SUMMARY * (1 + (done > 0)) + sum(sizes[done:folded])
                done = folded
            total += SUMMARY * (done > 0) + sum(sizes[done:call])
        return total


def _folded(steps: int) -> int:
    """How many of so many finished steps are in the summary."""
    return max(steps // EVERY * EVERY - BUFFER, 0)


UNIFORM, RAMP = SHAPES = (Shape("uniform", 475, 850, 0), Shape("ramp", 2_100, 200, 100))
"""The bases are those that make the whole run the report's 84,000 tokens of input."""


@dataclass(frozen=True, slots=True)
class Metered:
    """The extractive digest, with the usage that a model would have been billed for it."""

    name: str = "extractive, metered"

    def __call__(self, request: SummaryRequest) -> Summary:
        """The digest of ``request``."""
        summary = Extractive()(request)
        read = sum(map(estimate, render(request, 100_000)))
        return replace(summary, usage=Usage(read, output=estimate(summary.text)))


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a run: the steps the agent took, in order, and the session's events."""

    taken: tuple[int, ...]
    requests: tuple[Step, ...]
    summaries: tuple[Condensed, ...]

    @property
    def asked_again(self) -> bool:
        """Whether the id was lost when it was needed."""
        return self.taken.count(SEEN) > 1

    @property
    def input(self) -> int:
        """Tokens the agent's model read."""
        return sum(request.after for request in self.requests)

    @property
    def overhead(self) -> int:
        """Tokens the summarizer read and wrote."""
        return sum((made.prompt_tokens or 0) + (made.output_tokens or 0) for made in self.summaries)

    def cost(self, prices: Prices) -> float:
        """US dollars for all calls, the summarizer's at the same prices."""
        calls = (prices.usage(request.after, request.shared, CALL) for request in self.requests)
        made = (Usage(summary.prompt_tokens or 0, output=summary.output_tokens or 0) for summary in self.summaries)
        return sum(map(prices.price, (*calls, *made)))


def drive(shape: Shape, strategy: str | Mapping[str, Any], *, tags: bool = False) -> Run:
    """The whole run, each request as the strategy has it."""
    events: list[Event] = []
    manager = Manager(strategy, summarizer=Metered(), record=events.append)
    messages: list[ChatMessage] = [{"role": "user", "content": _text("Find out who is affected.", shape.base)}]
    taken: list[int] = []
    for call in count():
        step = max(taken, default=0) + 1
        if step > STEPS:
            break
        step = decide(step, manager(messages))
        messages += _turn(shape, step, f"call_{call}", tags=tags)
        taken.append(step)
    requests = tuple(event for event in events if isinstance(event, Step))
    return Run(tuple(taken), requests, tuple(event for event in events if isinstance(event, Condensed)))


def decide(step: int, shown: Sequence[ChatMessage]) -> int:
    """The step the agent takes: ``step``, but step 4 once more where it needs the id and is not shown it."""
    return SEEN if step == NEEDED and USER_ID not in json.dumps(shown) else step


def _turn(shape: Shape, step: int, call: str, *, tags: bool) -> list[ChatMessage]:
    """The agent's message and the output, together of the step's size."""
    arguments = json.dumps({"step": step, "user": USER_ID} if step == NEEDED else {"step": step})
    said = f"<keep>{USER_ID}</keep>" if tags and step == SEEN + 1 else "Next."
    said = said.ljust(int(CALL * BYTES_PER_TOKEN) - len(f"\nlookup({arguments})"), ".")
    function = {"name": "lookup", "arguments": arguments}
    calls = [{"id": call, "type": "function", "function": function}]
    found = f"owner: {USER_ID}\n" if step == SEEN else ""
    rows = "".join(
        f'{{"record": {step * 1000 + row}, "status": "open", "total": {row * 7}.{step:02}, '
        f'"source": "exports/{2000 + step}/part{row}.csv"}}\n'
        for row in range(100)
    )
    output = _text(rows[:300] + found + rows[300:], shape.sizes()[step - 1] - CALL)
    return [
        {"role": "assistant", "content": said, "tool_calls": calls},
        {"role": "tool", "tool_call_id": call, "content": output},
    ]


def _text(start: str, tokens: int) -> str:
    """``start``, cut or filled up to so many tokens."""
    length = int(tokens * BYTES_PER_TOKEN)
    return start.ljust(length, ".")[:length]


def main() -> None:
    """Print the tables."""
    for shape in SHAPES:
        print(f"### {shape.name}: steps of {shape.sizes()[0]:,} to {shape.sizes()[-1]:,} tokens, base {shape.base:,}\n")
        _print_runs(shape)
        _print_verdicts(shape)


def _print_runs(shape: Shape) -> None:
    runs = [(name, drive(shape, strategy, tags=tags)) for name, strategy, tags in STRATEGIES]
    raw = runs[0][1]
    free, cached = relative().uncached(), relative()
    print("| strategy | id at step 12 | calls | input | at step 12 | summarizer | saved | cost, no cache | .1 / 1.25 |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, run in runs:
        print(
            f"| {name} | {'asked again' if run.asked_again else 'known'} | {len(run.taken)} | {run.input:,} | "
            f"{run.requests[NEEDED - 1].after - shape.base:,} | {run.overhead:,} | "
            f"{raw.input - run.input - run.overhead:,} | "
            f"{run.cost(free) / raw.cost(free):.2f} | {run.cost(cached) / raw.cost(cached):.2f} |"
        )
    print(f"| the report | | {STEPS} | {INPUT:,} | {AT_STEP_12:,} | {OVERHEAD:,} | > {SAVED:,} | | |\n")


def _print_verdicts(shape: Shape) -> None:
    sizes = shape.sizes()
    before, after = sum(sizes[: NEEDED - 1]), sum(sizes[:NEEDED])
    nearest = min(before, after, key=lambda size: abs(size - AT_STEP_12))
    best, net = shape.raw() - shape.least(), shape.raw() - shape.rolling()
    print("| the report | by arithmetic | possible |\n|---|---|---|")
    print(f"| {INPUT:,} input | {shape.raw():,}: {STEPS} x {shape.base:,} and the outputs read again | yes |")
    print(
        f"| {AT_STEP_12:,} at step 12 | {before:,} before it, {after:,} after it | "
        f"{'yes' if abs(nearest / AT_STEP_12 - 1) <= NEAR else 'no'}, {nearest / AT_STEP_12 - 1:+.1%} |"
    )
    print(
        f"| {OVERHEAD:,} overhead | {shape.read_once():,} to read each summarized output once | "
        f"{'yes' if shape.read_once() <= OVERHEAD else 'no'} |"
    )
    print(
        f"| > {SAVED:,} saved | {best:,} at most; {net:,} net, with summaries of {SUMMARY} tokens | "
        f"{'yes' if best > SAVED else 'no'}; net from {steps_to_save(shape)} steps on |\n"
    )


def steps_to_save(shape: Shape) -> int:
    """The steps from which on a rolling summary saves what the report says, its own calls paid."""
    return next(steps for steps in count(STEPS) if shape.raw(steps) - shape.rolling(steps) > SAVED)


if __name__ == "__main__":
    main()
