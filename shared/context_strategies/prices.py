"""What one request costs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call.

    ``prompt`` is everything the model read: the tokens read from the cache (``cached``) and those written to it
    (``written``) are part of it, whichever way a provider reports them.
    """

    prompt: int
    cached: int = 0
    written: int = 0
    output: int = 0
