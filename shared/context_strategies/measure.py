"""Weighing contexts in tokens, and finding what one shares with the one before it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from context_strategies.context import SHOWN, Context, Edit, Keep, Mask, Summarize
from context_strategies.history import IMAGE_TOKENS, PROTECTED, History, Message
from context_strategies.masks import Hide, masks_of

Count = Callable[[Sequence[str]], list[int]]


def count_messages(messages: Sequence[Message], count: Count) -> list[int]:
    """Tokens of each message by ``count``, images included."""
    sizes = count([message.text for message in messages])
    return [size + IMAGE_TOKENS * message.images for size, message in zip(sizes, messages, strict=True)]


@dataclass(frozen=True, slots=True)
class Shared:
    """The prefix two requests share: its tokens, and the index of the first message of the history beyond it."""

    tokens: int
    index: int


class Measure:
    """Tokens of the contexts of one history by one counter.

    ``sizes`` are the tokens of the history's messages, which may still be growing to them. Every text is counted once
    and kept in running sums: a context is weighed in time that goes with its stretches, not with its messages.
    """

    def __init__(self, history: History, sizes: Sequence[int], count: Count) -> None:
        self._history = history
        self._sizes = sizes
        self._count = count
        self._orphans = 0
        self._sums: dict[Hide | None, list[int]] = {}
        self._texts: dict[str, int] = {}

    def tokens(self, context: Context, stop: int | None = None) -> int:
        """Tokens of ``context``, or of its stretches and parts of stretches before message ``stop``."""
        end = context.length if stop is None else stop
        return sum([self._weigh(edit, min(edit.stop, end)) for edit in context.edits if edit.start < end])

    def shared(self, before: Context, now: Context) -> Shared:
        """The longest common prefix of two requests over this history, in whole messages."""
        index = common(before, now)
        return Shared(self.tokens(now, index), index)

    def text(self, text: str) -> int:
        """Tokens of a text that is no message of the history, a summary say."""
        if text not in self._texts:
            self._texts[text] = self._count([text])[0]
        return self._texts[text]

    def span(self, start: int, stop: int, hide: Hide | None = None) -> int:
        """Tokens of the messages in ``[start, stop)`` as they are, or as ``hide`` masks them, orphans left out."""
        if self._orphans != len(self._history.orphans):
            self._orphans = len(self._history.orphans)
            self._sums.clear()
        sums = self._sums.setdefault(hide, [0])
        if stop >= len(sums):
            self._reach(sums, stop, hide)
        return sums[stop] - sums[start]

    def _reach(self, sums: list[int], stop: int, hide: Hide | None) -> None:
        """Carry the running ``sums`` under ``hide`` on to message ``stop``."""
        new = range(len(sums) - 1, stop)
        masks = masks_of(self._history, hide) if hide else None
        texts = {i: text for i in new if (text := masks.text(i)) is not None} if masks else {}
        counts = dict(zip(texts, self._count(list(texts.values())), strict=True)) if texts else {}
        for index in new:
            size = 0 if index in self._history.orphans else counts.get(index, self._sizes[index])
            sums.append(sums[-1] + size)

    def saving(self, hide: Hide, start: int, stop: int) -> int:
        """Tokens that masking ``[start, stop)`` by ``hide`` saves."""
        return self.span(start, stop) - self.span(start, stop, hide)

    def _weigh(self, edit: Edit, stop: int) -> int:
        if isinstance(edit, SHOWN):
            return self.span(edit.start, stop, _hide(edit))
        summary = self.text(edit.text) if isinstance(edit, Summarize) else 0
        return summary + sum(self._sizes[i] for i in self._history.protected_in(edit.start, stop))


def common(before: Context, now: Context) -> int:
    """The first message of the history that two requests over it show differently; whole messages are compared."""
    history = now.history
    index = i = j = 0
    end = min(before.length, now.length)
    while index < end:
        old, new = before.edits[i], now.edits[j]
        stop = min(old.stop, new.stop)
        different = _difference(history, old, new, index, stop)
        if different is not None:
            return different
        index = stop
        i += old.stop == stop
        j += new.stop == stop
    return index


def _difference(history: History, old: Edit, new: Edit, start: int, stop: int) -> int | None:
    """The first message in ``[start, stop)`` that two stretches show differently."""
    if isinstance(old, SHOWN) and isinstance(new, SHOWN):
        return _remasked(history, _hide(old), _hide(new), start, stop)
    if _opening(old, start) != _opening(new, start):
        return start
    if isinstance(old, SHOWN) or isinstance(new, SHOWN):
        return next((i for i in range(start, stop) if _can_go(history, i)), None)
    return None


def _remasked(history: History, old: Hide | None, new: Hide | None, start: int, stop: int) -> int | None:
    """The first message in ``[start, stop)`` that two ways to hide, or none at all, show differently."""
    if old == new:
        return None
    ways = [masks_of(history, hide) for hide in (old, new) if hide is not None]
    if len(ways) == 1:
        return ways[0].first(start, stop)
    was, will = ways
    return next((i for i in range(start, stop) if was.text(i) != will.text(i)), None)


def _can_go(history: History, index: int) -> bool:
    """Whether a kept message shows and a dropped one does not."""
    return history[index].kind not in PROTECTED and index not in history.orphans


def _hide(edit: Keep | Mask) -> Hide | None:
    """What a stretch is masked with, if it is."""
    return edit.hide if isinstance(edit, Mask) else None


def _opening(edit: Edit, index: int) -> str | None:
    """The summary that ``edit`` puts before message ``index``, if it does."""
    return edit.text if isinstance(edit, Summarize) and edit.start == index else None
