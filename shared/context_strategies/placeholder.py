"""The short text that stands where an observation was hidden."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import Formatter

from context_strategies.commands import one_line
from context_strategies.cut import cut_middle
from context_strategies.facts import ranked_facts, tagged_facts
from context_strategies.history import Kind, Message
from context_strategies.masks import Stream, side_by_side
from context_strategies.tokens import estimate

TEMPLATE = "[Output of {command} hidden: {size}. Run it again if you need it.]"
FIELDS = frozenset({"command", "size", "lines", "characters"})
UNNAMED = "an earlier command"


def check_template(template: str) -> str:
    """``template`` if it is one line of text that names only known fields; raises ValueError otherwise."""
    fields = {name for _, name, _, _ in Formatter().parse(template) if name is not None}
    if fields - FIELDS:
        message = f"unknown field {{{min(fields - FIELDS)}}}; valid fields: {', '.join(sorted(FIELDS))}"
        raise ValueError(message)
    if len(template.splitlines()) != 1 or not template.strip():
        message = "a placeholder is one line of text"
        raise ValueError(message)
    template.format(**dict.fromkeys(FIELDS, ""))
    return template


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


@dataclass(frozen=True, slots=True, eq=False)
class Placeholder:
    """What a masked observation becomes: a pure function of the message, so that its bytes never change.

    Compared by identity, since contexts look texts up by it: a strategy makes one and keeps it.

    ``keep_lines`` lines of each end of the output stay with it, and up to ``keep_facts`` of its facts that nothing
    before it still shows: those that ``preserve`` patterns match, and besides those a later step is likely to need. An
    observation with one of ``keep_tags`` is never masked.
    """

    template: str = TEMPLATE
    keep_facts: int = 0
    keep_lines: int = 0
    keep_tags: frozenset[str] = frozenset()
    preserve: tuple[str, ...] = ()

    def __call__(self, message: Message) -> str | None:
        """The text instead of ``message``'s, without facts; None if it is to stay."""
        if message.kind is not Kind.OBSERVATION or message.tags & self.keep_tags:
            return None
        lines = message.find(_lines)
        sizes = [_count(lines, "line"), _count(len(message.plain), "character")]
        if message.images:
            sizes.append(_count(message.images, "image"))
        command = message.command or message.tool
        text = self.template.format(
            command=f'"{one_line(command)}"' if command else UNNAMED,
            size=", ".join(sizes),
            lines=f"{lines:,}",
            characters=f"{len(message.plain):,}",
        )
        if 0 < 2 * self.keep_lines < lines:
            whole = message.plain.splitlines()
            text = "\n".join([text, *whole[: self.keep_lines], "[...]", *whole[-self.keep_lines :]])
        return text

    @property
    def stream(self) -> Stream | None:
        """The texts instead of a conversation's messages, where they depend on those before."""
        return self._with_facts if self.keep_facts or self.preserve else None

    def _with_facts(self, messages: Iterator[Message]) -> Iterator[str | None]:
        """A fact that was kept once is not kept again."""
        known: set[str] = set()
        for message in messages:
            text = self(message)
            preserved = [fact for fact in tagged_facts([message], self.preserve) if "\n" not in fact]
            facts = message.find(ranked_facts)
            if text is None or estimate(text) >= message.tokens:
                known.update(facts, preserved)
                yield text
                continue
            likely = [fact for fact in facts if fact not in known and fact not in preserved]
            kept = [*(fact for fact in preserved if fact not in known), *likely[: self.keep_facts]]
            while kept and estimate(_mentioning(text, kept)) >= message.tokens:
                kept = kept[: len(kept) // 2]
            known.update(kept)
            yield _mentioning(text, kept)


def _lines(text: str) -> int:
    return len(text.splitlines())


def _mentioning(text: str, facts: Sequence[str]) -> str:
    """``text`` with ``facts`` after its first line; a space between them costs less than a comma."""
    if not facts:
        return text
    first, *rest = text.split("\n")
    return "\n".join([f"{first} [It mentions: {' '.join(facts)}]", *rest])


@dataclass(frozen=True, slots=True, eq=False)
class Tagged:
    """A placeholder for observations with one of ``tags`` only: these are hidden from the first request on."""

    placeholder: Placeholder
    tags: frozenset[str] = frozenset()

    def __call__(self, message: Message) -> str | None:
        """The text instead of ``message``'s; None if it is to stay."""
        return self.placeholder(message) if message.tags & self.tags else None

    @property
    def stream(self) -> Stream | None:
        """The texts instead of a conversation's messages, the same that the placeholder gives them later."""
        return self._as_later if self.placeholder.stream else None

    def _as_later(self, messages: Iterator[Message]) -> Iterator[str | None]:
        for message, (text,) in side_by_side(messages, self.placeholder):
            yield text if message.tags & self.tags else None


@dataclass(frozen=True, slots=True)
class Clipped:
    """The middle of an observation cut out, and its images, so that it weighs at most ``tokens`` (50 or more)."""

    tokens: int

    def __call__(self, message: Message) -> str | None:
        """The text instead of ``message``'s; None if it is to stay."""
        if message.kind is not Kind.OBSERVATION or message.tokens <= self.tokens:
            return None
        if not message.images:
            return cut_middle(message.plain, self.tokens)
        note = f"\n[{_count(message.images, 'image')} left out: the context was full]"
        return cut_middle(message.plain, self.tokens - estimate(note)) + note
