"""The prompt a model is given to fold old turns into the running summary."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from context_strategies.commands import one_line
from context_strategies.cut import MARK_TOKENS, clean, cut_middle, water_level
from context_strategies.history import Kind, Message
from context_strategies.summarizers.base import SummarizerError, SummaryRequest
from context_strategies.tokens import estimate

if TYPE_CHECKING:
    from jinja2 import Environment

OPENING = "You keep the running summary of a coding agent's work."
"""The first sentence of every summary request: it tells one from an agent's own."""

TARGET_TOKENS = 1_200
"""The length asked for where the limit allows it: a longer summary keeps more, and is paid in every later call."""

WORDS_PER_TOKEN = 0.6

TAGS = {Kind.ACTION: "action", Kind.OBSERVATION: "output"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One message as the prompt shows it: ``tag`` names its kind, ``label`` is one line about it."""

    tag: str
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A numbered block of the prompt."""

    number: int
    entries: tuple[Entry, ...]


def render(request: SummaryRequest, max_input_tokens: int) -> tuple[str, str]:
    """The system and the user message that ask for the summary, together of at most ``max_input_tokens`` (estimated).

    Where that is too little, outputs are cut in the middle, the longest first; then actions are. The task and the
    previous summary take a quarter each at most. Raises :class:`SummarizerError` where the marks of the cuts alone
    would not fit.
    """
    turns = _turns(request)
    values = {
        "opening": OPENING,
        "fence": _fence([request.task, request.previous, *request.facts], request.messages),
        "words": _words(request.limit),
        "task": cut_middle(clean(request.task), max(max_input_tokens // 4, MARK_TOKENS)),
        "previous": cut_middle(clean(request.previous), max(max_input_tokens // 4, MARK_TOKENS)),
        "facts": _fitting(request.facts, max_input_tokens // 8),
        "last": request.last_turn,
    }
    frame = sum(map(estimate, _messages(values, _cut(turns, {}))))
    return _messages(values, _fit(turns, max_input_tokens - frame))


def _messages(values: dict[str, object], turns: Sequence[Turn]) -> tuple[str, str]:
    templates = _templates()
    system, user = (templates.get_template(name) for name in ("system.j2", "user.j2"))
    return system.render(values), user.render(values, turns=turns)


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - only summaries need it

    return Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - plain text for a model: escaping would change the code it reads
    )


def _turns(request: SummaryRequest) -> list[Turn]:
    """The messages in numbered turns: each action starts one."""
    blocks: list[list[Entry]] = []
    for message in request.messages:
        if message.kind is Kind.ACTION or not blocks:
            blocks.append([])
        blocks[-1].append(_entry(message))
    return [Turn(number, tuple(block)) for number, block in enumerate(blocks, request.first_turn)]


def _entry(message: Message) -> Entry:
    label = clean(one_line(message.command or message.tool)) if message.kind is Kind.OBSERVATION else ""
    images = f"\n[{message.images} image(s) not shown]" if message.images else ""
    return Entry(TAGS.get(message.kind, "note"), label, clean(message.plain) + images)


def _fit(turns: Sequence[Turn], budget: int) -> list[Turn]:
    """``turns`` with their texts cut to ``budget`` tokens: other texts than actions first, the longest first."""
    entries = [entry for turn in turns for entry in turn.entries]
    actions = [estimate(entry.text) for entry in entries if entry.tag == "action"]
    others = [estimate(entry.text) for entry in entries if entry.tag != "action"]
    room = budget - sum(min(size, MARK_TOKENS) for size in others)
    action_level = water_level(actions, room)
    if room < 0 or action_level < min(MARK_TOKENS, max(actions, default=0)):
        msg = f"max_input_tokens leaves {budget:,} tokens for the texts of {len(turns):,} turns, which is too little"
        raise SummarizerError(msg)
    other_level = water_level(others, budget - sum(min(size, action_level) for size in actions))
    levels = {"action": action_level, "output": max(other_level, MARK_TOKENS), "note": max(other_level, MARK_TOKENS)}
    return _cut(turns, levels)


def _cut(turns: Sequence[Turn], levels: Mapping[str, int]) -> list[Turn]:
    """``turns`` with each text cut to the level of its tag; empty texts where there are no levels."""

    def cut(entry: Entry) -> Entry:
        text = cut_middle(entry.text, levels[entry.tag]) if levels else ""
        return replace(entry, text=text)

    return [replace(turn, entries=tuple(map(cut, turn.entries))) for turn in turns]


def _fitting(facts: Iterable[str], tokens: int) -> list[str]:
    """The facts, in their order, up to ``tokens``; the session adds the others to the answer."""
    kept = []
    for fact in map(clean, facts):
        tokens -= estimate(fact) + 1
        if tokens < 0:
            break
        kept.append(fact)
    return kept


def _words(limit: int) -> int:
    """Words to ask for: half the limit at most, so that a model that overdoes it still gives a summary worth having."""
    tokens = min(limit // 2, TARGET_TOKENS) if limit > 0 else TARGET_TOKENS
    return max(int(tokens * WORDS_PER_TOKEN) // 10 * 10, 20)


def _fence(texts: Sequence[str], messages: Sequence[Message]) -> str:
    """Eight hex digits that occur in no text of the request, so that no text can end its own block; always the same."""
    everything = [*texts, *(message.plain for message in messages), *(message.command for message in messages)]
    digest = sha256()
    for text in everything:
        digest.update(text.encode("utf-8", "surrogatepass"))
    while any(digest.hexdigest()[:8] in text for text in everything):
        digest.update(b"again")
    return digest.hexdigest()[:8]
