"""The neutral model every host's conversation is translated into.

A :class:`History` is append-only. It cuts the conversation into turns, knows which tool calls were never answered, and
keeps running sums of sizes, so that a strategy pays for the new messages only.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from context_strategies.tokens import estimate

Found = TypeVar("Found")

IMAGE_TOKENS = 1_000
"""What one image is taken to weigh, in tokens: providers charge about 85 to 1,600 by size, which a history doesn't
tell."""


class Kind(StrEnum):
    """What a message is to a strategy, whatever role it has in its host."""

    SYSTEM = "system"
    TASK = "task"
    DEMO = "demo"
    ACTION = "action"
    OBSERVATION = "observation"
    NOTE = "note"
    SUMMARY = "summary"


PROTECTED = frozenset({Kind.SYSTEM, Kind.TASK, Kind.DEMO})
"""The task: kinds that no strategy may edit."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message.

    ``call_ids`` are the tool calls an action makes, or those an observation answers; ``tool`` and ``command`` (one
    short line) say what an observation is the output of. ``key`` is the host's own name for the message. An
    action's ``text`` holds its reasoning and its rendered calls. ``decoded`` is what an observation says whose text
    is an encoding of it (JSON), None where the text says it itself. ``failed`` marks a reply in a wrong format and
    what answers it. ``tied`` is an action that may not be cut from the turn before it, by its provider's rules for
    thinking. ``gone`` are the tokens of messages that the host no longer has and that this one stands for.
    ``tokens`` is the fixed estimate of :func:`context_strategies.tokens.estimate`, images and ``gone`` included.
    """

    kind: Kind
    text: str
    key: Hashable = None
    call_ids: tuple[str, ...] = ()
    tool: str = ""
    command: str = ""
    tags: frozenset[str] = frozenset()
    images: int = 0
    failed: bool = False
    tied: bool = False
    gone: int = 0
    decoded: str | None = None
    tokens: int = field(init=False, compare=False)
    _found: dict[Hashable, Any] = field(init=False, compare=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", estimate(self.text) + IMAGE_TOKENS * self.images + self.gone)

    @property
    def plain(self) -> str:
        """What the text says: what facts are sought in, and lines counted of."""
        return self.text if self.decoded is None else self.decoded

    def find(self, search: Callable[[str], Found]) -> Found:
        """What ``search`` finds in the plain text, sought once and kept for as long as the message."""
        if search not in self._found:
            self._found[search] = search(self.plain)
        found: Found = self._found[search]
        return found


class History:
    """Messages in order, cut into turns.

    Turn 0 is what stands before the first action; turn ``t`` starts with the ``t``-th action. Tool calls are matched
    with their answers inside a turn: a call still unanswered when the next action comes, and an answer to no open call,
    are *orphans*: no request may hold them, so they weigh nothing and no context shows them.
    """

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._messages: list[Message] = []
        self._starts: list[int] = [0]
        self._sums: list[int] = [0]
        self._open: set[str] = set()
        self._answered = False
        self.protected: list[int] = []
        self.orphans: set[int] = set()
        self.memo: dict[Hashable, Any] = {}
        self.extend(messages)

    def extend(self, messages: Iterable[Message]) -> None:
        """Append ``messages`` in order."""
        for message in messages:
            self.append(message)

    def append(self, message: Message) -> None:
        """Append ``message``, at a cost that does not depend on what is already here."""
        index = len(self._messages)
        orphan = False
        if message.kind is Kind.ACTION:
            self._close_turn()
            self._starts.append(index)
            self._open = set(message.call_ids)
            self._answered = False
        elif message.kind is Kind.OBSERVATION:
            answers = set(message.call_ids)
            orphan = not answers <= self._open
            if not orphan:
                self._open -= answers
                self._answered = True
        elif message.kind in PROTECTED:
            self.protected.append(index)
        else:
            self._answered = True
        if orphan:
            self.orphans.add(index)
        self._messages.append(message)
        self._sums.append(self._sums[-1] + (0 if orphan else message.tokens))

    def _close_turn(self) -> None:
        """Orphan the calls of the turn that ends here, and the answers to their siblings, if any call is unanswered."""
        if not self._open:
            return
        self.memo.clear()
        start = self._starts[-1]
        lost = (i for i in range(start, len(self._messages)) if self._messages[i].call_ids)
        self.orphans.update(lost)
        for i in range(start, len(self._messages)):
            weight = 0 if i in self.orphans else self._messages[i].tokens
            self._sums[i + 1] = self._sums[i] + weight

    def __len__(self) -> int:
        return len(self._messages)

    def __getitem__(self, index: int) -> Message:
        return self._messages[index]

    @property
    def messages(self) -> Sequence[Message]:
        """All messages, not to be changed."""
        return self._messages

    @property
    def pending(self) -> bool:
        """Whether the last turn still waits for an answer to one of its calls."""
        return bool(self._open)

    @property
    def turns(self) -> int:
        """Complete turns: those whose calls are answered, the last one included only if something answered it."""
        last = len(self._starts) - 1
        return last if last == 0 or (self._answered and not self._open) else last - 1

    @property
    def output(self) -> int:
        """Estimated tokens the model wrote in the last turn."""
        start = self._starts[-1]
        return self._messages[start].tokens if len(self._starts) > 1 else 0

    def turn_of(self, index: int) -> int:
        """The turn that message ``index`` belongs to."""
        return max(bisect_right(self._starts, index) - 1, 0)

    def start_of(self, turn: int) -> int:
        """Index of the first message of ``turn``; past the last turn, the history's length."""
        return self._starts[turn] if turn < len(self._starts) else len(self._messages)

    def end_of(self, turn: int) -> int:
        """One past the last message of ``turn``."""
        return self.start_of(turn + 1)

    def loose_end(self, turn: int) -> int:
        """The last turn up to ``turn`` that the next one is not tied to."""
        while turn > 0 and self.end_of(turn) < len(self) and self[self.end_of(turn)].tied:
            turn -= 1
        return max(turn, 0)

    def protected_in(self, start: int, stop: int) -> Sequence[int]:
        """Indices of task messages in ``[start, stop)``."""
        return self.protected[bisect_left(self.protected, start) : bisect_left(self.protected, stop)]

    def tasks(self, stop: int) -> list[Message]:
        """The user's task: the messages of that kind before ``stop``."""
        protected = (self[index] for index in self.protected_in(0, stop))
        return [message for message in protected if message.kind is Kind.TASK]

    def tokens(self, start: int = 0, stop: int | None = None) -> int:
        """Estimated tokens of the messages in ``[start, stop)``, orphans left out."""
        return self._sums[len(self._messages) if stop is None else stop] - self._sums[start]
