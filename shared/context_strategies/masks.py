"""Ways to hide an observation, and what each makes of a conversation's messages, found once."""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from itertools import count, tee

from context_strategies.history import History, Kind, Message
from context_strategies.tokens import estimate

Hide = Callable[[Message], str | None]
"""What a masked message becomes, None if it stays; pure and hashable (a frozen dataclass with ``__call__``)."""


Stream = Callable[[Iterator[Message]], Iterator[str | None]]
"""What each of a conversation's messages becomes, in their order, one taken for each one given. A :data:`Hide` whose
text for a message depends on those before it has such a method, ``stream``; elsewhere it is missing or None."""


def side_by_side(messages: Iterator[Message], *hides: Hide) -> Iterator[tuple[Message, tuple[str | None, ...]]]:
    """Each message with what every one of ``hides`` makes of it."""
    first, *copies = tee(messages, len(hides) + 1)
    streams = [_stream(hide) or partial(map, hide) for hide in hides]
    texts = zip(*(stream(copy) for stream, copy in zip(streams, copies, strict=True)), strict=True)
    return zip(first, texts, strict=True)


def _stream(hide: Hide) -> Stream | None:
    stream: Stream | None = getattr(hide, "stream", None)
    return stream


class Masks:
    """Every message's masked text under one way to hide, and the estimated tokens that saves; each found once."""

    def __init__(self, history: History, hide: Hide) -> None:
        self._history = history
        self._hide = hide
        self._texts: list[str | None] = []
        self._saved: list[int] = [0]
        self._masked: list[int] = []
        stream = _stream(hide)
        self._stream = stream(self._messages()) if stream else None

    def _messages(self) -> Iterator[Message]:
        """The messages as they come; never asked for one that is not there."""
        for index in count():
            yield self._history[index]

    def _reach(self, stop: int) -> None:
        for index in range(len(self._texts), stop):
            message = self._history[index]
            shown = message.kind is Kind.OBSERVATION and index not in self._history.orphans
            streamed = next(self._stream) if self._stream else None
            text = (streamed if self._stream else self._hide(message)) if shown else None
            saved = max(message.tokens - estimate(text), 0) if text is not None else 0
            self._texts.append(text if saved else None)
            self._saved.append(self._saved[-1] + saved)
            if saved:
                self._masked.append(index)

    def text(self, index: int) -> str | None:
        """The text message ``index`` is masked with; None if it stays."""
        self._reach(index + 1)
        return self._texts[index]

    def saved(self, start: int, stop: int) -> int:
        """Estimated tokens saved by masking ``[start, stop)``."""
        self._reach(stop)
        return self._saved[stop] - self._saved[start]

    def first(self, start: int, stop: int) -> int | None:
        """The first message in ``[start, stop)`` that can be masked."""
        self._reach(stop)
        place = bisect_left(self._masked, start)
        return self._masked[place] if place < len(self._masked) and self._masked[place] < stop else None

    def count(self, start: int, stop: int) -> int:
        """How many messages in ``[start, stop)`` are masked."""
        self._reach(stop)
        return bisect_left(self._masked, stop) - bisect_left(self._masked, start)


def masks_of(history: History, hide: Hide) -> Masks:
    """The one :class:`Masks` of ``history`` under ``hide``."""
    memo: dict[Hashable, Masks] = history.memo
    if hide not in memo:
        memo[hide] = Masks(history, hide)
    return memo[hide]
