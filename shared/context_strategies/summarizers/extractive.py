"""A digest of old turns made by rules alone: free, the same every time, and never unavailable."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from context_strategies.commands import fenced_command, one_line
from context_strategies.cut import cut_middle
from context_strategies.facts import ranked_facts
from context_strategies.history import Kind, Message
from context_strategies.summarizers.base import SummarizerError, Summary, SummaryRequest
from context_strategies.summarizers.findings import LINE, files_of, findings_of
from context_strategies.summarizers.keep import HEADING as FACTS
from context_strategies.tokens import estimate

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

TITLE = re.compile(r"\nDigest of turns (\d{1,9}) to \d{1,9}\b.*")
HEADING = re.compile(rf"\n({'|'.join(map(re.escape, SHOWN))})(?![^\n])")
"""Both match whole lines, with the line end before them."""

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
        _add(sections[FACTS], request.facts)
        first = min(first or request.first_turn, request.first_turn)
        title = f"Digest of turns {first} to {request.last_turn}, made without a model; the newest items stand last."
        return Summary(_written(title, sections, room), self.name)


def _parse(previous: str) -> tuple[Sections, int]:
    """The sections of an earlier digest, and its first turn (0 if unknown); any other text is an earlier summary."""
    sections: Sections = {section: {} for section in SHOWN}
    lines = "\n".join(["", *previous.splitlines()])
    titles = TITLE.findall(lines)
    earlier, *rest = HEADING.split(TITLE.sub("", lines) if titles else lines)
    for section, body in [(EARLIER, earlier), *zip(rest[::2], rest[1::2], strict=True)]:
        items = [body] if section == EARLIER else body.split("\n- ")
        _add(sections[section], [text for item in items if (text := item.strip("\n"))])
    return sections, int(titles[-1]) if titles else 0


def _read_turns(sections: Sections, request: SummaryRequest) -> None:
    """Add what the turns show; the last steps and the last test outcome take the place of those before."""
    steps: list[tuple[int, Message]] = []
    mentioned = {fact for line in sections[MENTIONED] for fact in line.split()}
    for turn, action, observations in _turns(request):
        steps.append((turn, action))
        for observation in observations:
            command = observation.command or action.find(fenced_command)
            read, changed = files_of(command)
            errors, outcome = observation.find(findings_of)
            _add(sections[COMMANDS], [command] if command and observation.tool not in TALK else [])
            _add(sections[READ], read)
            _add(sections[CHANGED], changed)
            _add(sections[ERRORS], errors)
            new = (fact for fact in observation.find(ranked_facts) if fact not in mentioned)
            mentions = " ".join(islice(new, MENTIONS))
            mentioned.update(mentions.split())
            _add(sections[MENTIONED], [mentions] if mentions else [])
            if outcome:
                sections[TESTS] = {f"turn {turn}, {command or 'tests'}: {outcome}": None}
    if steps:
        last = steps[-LAST_STEPS:]
        sections[STEPS] = dict.fromkeys(f"turn {turn}: {one_line(action.text, LINE)}" for turn, action in last)


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


def _add(items: dict[str, None], new: Sequence[str]) -> None:
    """Put ``new`` items at the end, also those that are there already."""
    for item in new:
        items.pop(item, None)
        items[item] = None


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
