"""Counting tokens: one fixed estimate for decisions, exact counts for reports."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

FEW = 100
"""Texts up to which they are counted one by one: a batch starts threads, which takes longer."""

BYTES_PER_TOKEN = 3.6
"""UTF-8 bytes a token in the estimate; recorded runs show 2.7 to 3.9 characters."""


def estimate(text: str) -> int:
    """Size of ``text`` in tokens by its UTF-8 bytes alone, rounded up, the same on every machine and in every scaffold.

    Lone surrogates, which recorded text may hold, count as the three bytes they would take.
    """
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return ceil(size / BYTES_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class Counter:
    """A named way to count: ``count(texts)`` returns one number of tokens a text."""

    name: str
    count: Callable[[Sequence[str]], list[int]]


def _estimates(texts: Sequence[str]) -> list[int]:
    return [estimate(text) for text in texts]


ESTIMATE = Counter("estimate (UTF-8 bytes / 3.6)", _estimates)


def best_counter() -> Counter:
    """Exact o200k counts where ``toktok-rs`` is installed, otherwise the estimate."""
    try:
        import toktok  # noqa: PLC0415 - optional, and slow to load
    except ImportError:
        return ESTIMATE

    def count(texts: Sequence[str]) -> list[int]:
        clean = [text if text.isascii() else text.encode("utf-8", "replace").decode() for text in texts]
        if len(clean) <= FEW:  # the one way to count a single text: cut it nowhere
            return [toktok.truncate(text, sys.maxsize, "o200k_base")[1] for text in clean]
        return list(toktok.batch_count(clean, "o200k_base"))

    return Counter("o200k (toktok)", count)
