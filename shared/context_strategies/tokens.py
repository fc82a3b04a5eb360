"""Counting tokens: one fixed estimate for decisions, exact counts for reports."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

SHORT, FEW = 1_000, 4
"""Characters of a text, and texts of a batch, up to which counts are remembered."""

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

    def exact(texts: Sequence[str]) -> list[int]:
        clean = [text if text.isascii() else text.encode("utf-8", "replace").decode() for text in texts]
        return list(toktok.batch_count(clean, "o200k_base"))

    # Placeholders are counted one by one, the same ones for every strategy, and a batch of one costs a thread's start.
    short = lru_cache(maxsize=65_536)(lambda text: exact([text])[0])

    def count(texts: Sequence[str]) -> list[int]:
        few = len(texts) <= FEW and all(len(text) < SHORT for text in texts)
        return [short(text) for text in texts] if few else exact(texts)

    return Counter("o200k (toktok)", count)
