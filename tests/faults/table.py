"""Every fault and every scaffold by name, and how a cell comes about."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module

from faults import errors, injection, summaries, world
from faults.bench import Bench, Outcome
from faults.job import Scaffold

SCAFFOLDS = {
    "sweagent": ("SWE-agent", "faults.by_sweagent:SWEAgent"),
    "openhands_v0": ("OpenHands V0", "faults.by_openhands_v0:OpenHandsV0"),
    "openhands_v1": ("OpenHands V1", "faults.by_openhands_v1:OpenHandsV1"),
    "mini": ("mini-swe-agent", "faults.by_mini:Mini"),
}
"""By key: how it is called, and where it is driven from: a module that only its own environment can import."""


@dataclass(frozen=True, slots=True)
class Fault:
    """``title`` says what goes wrong, ``asserted`` what must hold beside what holds for all, ``tried`` finds out.

    ``unheld`` says, by scaffold, why it can't be helped there. ``slow``: scaffolds in which the tests leave it to the
    command.
    """

    name: str
    title: str
    asserted: str
    tried: Callable[[Bench], Outcome]
    unheld: Mapping[str, str] = field(default_factory=dict)
    slow: tuple[str, ...] = ()


DIGEST = "the digest that rules make stands in the summary's place, and the `fallback` event names the error."
UNMANAGED = "SWE-agent submits what there is at the first refusal, and asks no processor again"

FAULTS = [
    Fault("down", "Summarizer: connection refused", DIGEST, summaries.down),
    Fault("slow", "Summarizer: slower than its timeout", DIGEST, summaries.slow),
    Fault("empty", "Summarizer: empty answer", DIGEST, summaries.empty),
    Fault("request_too_long", "Summarizer: its request refused as too long", DIGEST, summaries.request_too_long),
    Fault(
        "over_long",
        "Summarizer: longer than what it replaces",
        "it is cut, with room for the tagged fact, and used; each `condensed` event tells of one that is shorter.",
        summaries.over_long,
    ),
    Fault(
        "refusing",
        'Summarizer: "I can\'t help with that."',
        "the tagged fact stands behind it, letter for letter.",
        summaries.refusing,
    ),
    Fault(
        "agent_too_long",
        "Agent: its request refused as too long",
        "the request is made again, shorter, and the run goes on.",
        world.agent_too_long,
        {"sweagent": UNMANAGED},
    ),
    Fault(
        "step_raises",
        "Strategy: `step` raises",
        "masking goes on from there, what was gone stays gone, and the event names the error.",
        errors.step_raises,
    ),
    Fault("render_raises", "Strategy: `render` raises", "the same.", errors.render_raises),
    Fault("no_prices", "Price list missing", "outputs are hidden at the usual ratios.", errors.no_prices),
    Fault("bad_prices", "Price list unreadable", "the same, and the log says so once.", errors.bad_prices),
    Fault(
        "disk_full",
        "Events: disk full",
        "the model is shown the same outputs as without the fault, and the log says once that events are not kept.",
        errors.disk_full,
    ),
    Fault("directory_there", "Events: a directory in their place", "the same.", errors.directory_there),
    Fault(
        "killed",
        "`kill -9` between two steps",
        "the record so far is whole; a run that can be resumed shows the model the same bytes as before and ends as it "
        "would have; a new one in the same folder has nothing of the old.",
        world.killed,
    ),
    Fault(
        "two_workers",
        "Two runs at once in one folder",
        "each is as it is alone; no request and no summary prompt of one holds a word of the other; events are apart.",
        world.two_workers,
        slow=("openhands_v0",),
    ),
    Fault(
        "ten_megabytes",
        "An output of 10 MB",
        "every request is answered, and the record holds every output.",
        world.ten_megabytes,
    ),
    Fault(
        "not_utf8",
        "An output that is not UTF-8",
        "no request is refused; the record holds what it holds without the plugin.",
        world.not_utf8,
    ),
    Fault(
        "injection",
        "An output that gives orders, a summarizer that obeys",
        "task and system prompt are the same in every request; the summarizer is given the output between marks that "
        "no output can write, as data; the order it writes reaches the agent behind a summary's title alone, and in no "
        "system message.",
        injection.injection,
    ),
    Fault(
        "thousand_turns",
        "A run of 1,000 turns",
        "every request is answered, every output is in the record, there is no fallback, and the longest of the last "
        "hundred requests is about as long as that of the first hundred.",
        world.thousand_turns,
        slow=tuple(SCAFFOLDS),
    ),
]


def scaffold_of(key: str) -> Scaffold:
    """The scaffold called ``key``; raises ImportError where it is not installed."""
    module, _, name = SCAFFOLDS[key][1].partition(":")
    made: Scaffold = getattr(import_module(module), name)()
    return made


def outcome(bench: Bench, fault: Fault) -> Outcome:
    """The cell; an error on the way there is one that was not held back."""
    try:
        return fault.tried(bench)
    except Exception as error:  # noqa: BLE001 - the other cells go on
        return Outcome("no outcome", (f"{type(error).__name__}: {error}"[:300],))
