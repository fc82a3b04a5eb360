"""Cutting text down to a size in estimated tokens."""

from collections.abc import Sequence

from context_strategies.tokens import BYTES_PER_TOKEN, estimate

MARK_TOKENS = 16
"""What the mark of a cut weighs at most; nothing can be cut to less."""


def clean(text: str) -> str:
    """``text`` with lone surrogates replaced: recorded text may hold them, and no request can carry them."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def cut_middle(text: str, tokens: int) -> str:
    """``text`` in at most ``tokens`` (``MARK_TOKENS`` or more): its head, a mark that counts what is gone, its tail."""
    if estimate(text) <= tokens:
        return text
    data = text.encode("utf-8", "replace")
    half = max(int((tokens - MARK_TOKENS) * BYTES_PER_TOKEN) // 2, 0)
    head = data[:half].decode("utf-8", "ignore")
    tail = data[len(data) - half :].decode("utf-8", "ignore")
    return f"{head}\n[... {len(text) - len(head) - len(tail):,} characters cut ...]\n{tail}"


def cut_end(text: str, tokens: int) -> str:
    """The whole lines at the start of ``text`` that fit in ``tokens`` with a mark; part of the first if none does."""
    if estimate(text) <= tokens:
        return text
    room = max(int((tokens - MARK_TOKENS) * BYTES_PER_TOKEN), 0)
    head = text.encode("utf-8", "replace")[:room].decode("utf-8", "ignore")
    whole = head.rpartition("\n")[0] or head
    return f"{whole}\n[... {len(text) - len(whole):,} characters cut ...]"


def water_level(sizes: Sequence[int], budget: int) -> int:
    """The largest size that, put as a cap on every one of ``sizes``, makes them fit in ``budget`` together.

    So the longest are cut first. Negative where ``budget`` is.
    """
    left = len(sizes)
    for size in sorted(sizes):
        if size * left > budget:
            return budget // left
        budget -= size
        left -= 1
    return max(sizes, default=0)
