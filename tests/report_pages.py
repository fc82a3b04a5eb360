"""Made-up runs, and pages of them, for what tests the report."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from context_strategies import History
from context_strategies.compare.evaluate import Choice, Market
from context_strategies.compare.report.build import page_of
from context_strategies.compare.report.gathered import LARGEST, Gathered, Viewer
from context_strategies.compare.report.page import Page
from context_strategies.compare.rows import Block
from context_strategies.compare.run_rows import by_run
from context_strategies.compare.work import Plan, Replayed, add_run
from context_strategies.history import Kind, Message
from context_strategies.strategies import choose
from context_strategies.tokens import ESTIMATE
from context_strategies.trajectories import Call, Trajectory
from conversations import HEAD, action, conversation, output

NAMES = ("raw", "masking:window=1,refresh=1", "llm_summary:every=4,window=2", "truncation:keep_tokens=600")
CHOICES = tuple(Choice(name, choose(name)) for name in NAMES)
EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "recordings"

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script><!--",
    "<img src=x onerror=alert(3)><svg onload=alert(4)><a href='javascript:alert(5)'>javascript:alert(5)</a>",
    "{{ 7 * 7 }} {% for x in y %} ${alert(6)} `${alert(7)}` &lt;b&gt; ]]>",
    "\u202eright to left\u202c \u2067isolated and never closed \u202eagain",
    "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "x" * 1_000_000,
    "\x00\x1b[31mred\x1b[0m\u2028\u2029\ud800",
)


def trajectory(messages: Sequence[Message], name: str = "made-up", source: str = "made-up.json") -> Trajectory:
    """A run with a call before each action."""
    calls = tuple(Call(index) for index, message in enumerate(messages) if message.kind is Kind.ACTION)
    return Trajectory(name, source, "test", "", History(messages), calls)


def long_run(turns: int, name: str = "made-up") -> Trajectory:
    """One of so many turns."""
    return trajectory(conversation(turns), name)


def hostile_run() -> Trajectory:
    """One whose every name and text is out to break the page."""
    turns = [
        message
        for number, text in enumerate(HOSTILE, 1)
        for message in (
            action(number),
            Message(Kind.OBSERVATION, text, call_ids=(f"call_{number}",), command=text[:60]),
        )
    ]
    messages = [Message(Kind.SYSTEM, HOSTILE[0]), *HEAD, *turns, action(99), output(99)]
    return trajectory(messages, f"{HOSTILE[1]}\u202e{HOSTILE[3]}", f"\"'>{HOSTILE[2]}\ud800")


def page(runs: Sequence[Trajectory], choices: Sequence[Choice] = CHOICES, largest: int = LARGEST) -> Page:
    """The page of ``runs``, without figures, which take a browser a second."""
    block, kept, done = Block(), Gathered("", Viewer(largest)), Replayed()
    for run in runs:
        add_run(Plan(tuple(choices), (Market(),), "viewer"), run, ESTIMATE, done)
    for rows in by_run(done.rows):
        block.add(rows)
    kept.add(done)
    return replace(page_of({"": block}, kept, ESTIMATE.name), charts=())
