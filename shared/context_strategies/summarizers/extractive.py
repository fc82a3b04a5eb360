"""A digest of old turns made by rules alone: free, the same every time, and never unavailable."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from context_strategies.commands import fenced_command, one_line
from context_strategies.facts import facts_of, ranked
from context_strategies.history import Kind, Message
from context_strategies.summarizers.base import SummarizerError, Summary, SummaryRequest
from context_strategies.summarizers.cut import cut_middle
from context_strategies.summarizers.findings import LINE, errors_of, files_of, outcome_of
from context_strategies.summarizers.keep import HEADING as FACTS
from context_strategies.tokens import estimate

TITLE = re.compile(r"Digest of turns (\d{1,9}) to \d{1,9}\b")

EARLIER = "## Earlier summary"
TESTS = "## Last test outcome"
STEPS = "## Last steps"
CHANGED = "## Files changed"
READ = "## Files read"
ERRORS = "## Errors seen"
MENTIONED = "## Mentioned by outputs"
COMMANDS = "## Commands run"

SHARES = {
    TESTS: 0.2,
    FACTS: 0.4,
    CHANGED: 0.2,
    ERRORS: 0.2,
    EARLIER: 0.5,
    STEPS: 0.2,
    READ: 0.4,
    MENTIONED: 0.6,
    COMMANDS: 1.0,
}
"""Sections in the order they are served, and the share of the room still left that each may take."""

SHOWN = (EARLIER, TESTS, STEPS, CHANGED, READ, ERRORS, MENTIONED, COMMANDS, FACTS)

TALK = frozenset({"think", "finish", "task_tracker", "plan"})
"""Tools that run nothing."""

LAST_STEPS = 3
MENTIONS = 10
"""Facts of an output that are listed: with five, what a run of 14 steps needed eight steps later was lost."""

LEAST = 40
"""Tokens below which a digest says nothing of use."""

Sections = dict[str, dict[str, None]]
"""A section's items, oldest first, each once."""


@dataclass(frozen=True, slots=True)
class Extractive:
    """Lists what the turns did and met: no model, no cost.

    ``max_tokens`` bounds the digest whatever the request allows; a larger one keeps more commands and errors, and is
    paid again in every later call.
    """

    max_tokens: int = 1_500

    @property
    def name(self) -> str:
        """How tables and events call it."""
        return "extractive"

    def __call__(self, request: SummaryRequest) -> Summary:
        """The digest of the previous summary and the turns, smaller than the request's limit.

        Raises :class:`SummarizerError` where the limit leaves no room for one.
        """
        room = min(request.limit - 1, self.max_tokens) if request.limit > 0 else self.max_tokens
        if room < LEAST:
            raise SummarizerError(f"{room} tokens are too few for a digest")
        sections, first = _parse(request.previous)
        _read_turns(sections, request)
        _add(sections, FACTS, request.facts)
        first = min(first or request.first_turn, request.first_turn)
        title = f"Digest of turns {first} to {request.last_turn}, made without a model; the newest items stand last."
        return Summary(_written(title, sections, room), self.name)


def _parse(previous: str) -> tuple[Sections, int]:
    """The sections of an earlier digest, and its first turn (0 if unknown); any other text is an earlier summary."""
    sections: Sections = {section: {} for section in SHOWN}
    item: list[str] = []
    section, first = EARLIER, 0

    def close() -> None:
        text = "\n".join(item).strip("\n")
        if text:
            _add(sections, section, [text])
        item.clear()

    for line in previous.splitlines():
        if title := TITLE.match(line):
            first = int(title[1])
        elif line in sections:
            close()
            section = line
        elif section != EARLIER and line.startswith("- "):
            close()
            item.append(line[2:])
        else:
            item.append(line)
    close()
    return sections, first


def _read_turns(sections: Sections, request: SummaryRequest) -> None:
    """Add what the turns show; the last steps and the last test outcome take the place of those before."""
    steps: list[str] = []
    for turn, action, observations in _turns(request):
        steps.append(f"turn {turn}: {one_line(action.text, LINE)}")
        for observation in observations:
            command = observation.command or fenced_command(action.text)
            read, changed = files_of(command)
            _add(sections, COMMANDS, [command] if command and observation.tool not in TALK else [])
            _add(sections, READ, read)
            _add(sections, CHANGED, changed)
            _add(sections, ERRORS, errors_of(observation.text))
            _add(sections, MENTIONED, _mentions(observation.text, sections[MENTIONED]))
            if outcome := outcome_of(observation.text):
                sections[TESTS] = {f"turn {turn}, {command or 'tests'}: {outcome}": None}
    if steps:
        sections[STEPS] = dict.fromkeys(steps[-LAST_STEPS:])


def _mentions(text: str, listed: Iterable[str]) -> list[str]:
    """The facts of an output that a later step is likeliest to need and that no line of ``listed`` has, in one line."""
    known = {fact for line in listed for fact in line.split()}
    new = [fact for fact in ranked(facts_of(text)) if fact not in known][:MENTIONS]
    return [" ".join(new)] if new else []


def _turns(request: SummaryRequest) -> Iterator[tuple[int, Message, list[Message]]]:
    """Number, action and observations of each turn that was not a failed reply."""
    turn = request.first_turn - 1
    action: Message | None = None
    observations: list[Message] = []
    for message in request.messages:
        if message.kind is Kind.ACTION:
            if action and not action.failed:
                yield turn, action, observations
            turn, action, observations = turn + 1, message, []
        elif message.kind is Kind.OBSERVATION:
            observations.append(message)
    if action and not action.failed:
        yield turn, action, observations


def _add(sections: Sections, section: str, items: Sequence[str]) -> None:
    """Put ``items`` at the section's end, the newest, also those it has already."""
    for item in items:
        sections[section].pop(item, None)
        sections[section][item] = None


def _written(title: str, sections: Sections, room: int) -> str:
    """The digest in at most ``room`` tokens: of a list, the newest items that fit in its section's share."""
    left = room - estimate(title)
    blocks: dict[str, str] = {}
    for section, share in SHARES.items():
        lead = f"\n\n{section}\n"
        allowed = int(left * share) - estimate(lead)
        items = list(sections[section])
        body = cut_middle("\n".join(items), allowed) if section == EARLIER else _newest(items, allowed)
        if body and estimate(body) <= allowed:
            blocks[section] = lead + body
            left -= estimate(blocks[section])
    return title + "".join(blocks.get(section, "") for section in SHOWN)


def _newest(items: Sequence[str], tokens: int) -> str:
    kept: list[str] = []
    for item in reversed(items):
        line = f"- {item}\n"
        tokens -= estimate(line)
        if tokens < 0:
            break
        kept.append(line)
    return "".join(reversed(kept)).rstrip("\n")
