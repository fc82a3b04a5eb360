"""What a strategy's decisions may depend on besides the history."""

from dataclasses import dataclass, field

from context_strategies.prices import Prices, relative

AUTO_SHARE = 0.75
"""Share of a model's input limit that ``max_tokens: auto`` uses, counted in estimated tokens: where text has the fewest
characters a token on record (2.7, against 3.6 in the estimate) that fills the limit."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a run: its model's ``prices`` (uncached ones for a run without a prompt cache) and ``limit``, the
    most estimated tokens a request may have, 0 for none.
    """

    prices: Prices = field(default_factory=relative)
    limit: int = 0


def terms_for(strategy: object, prices: Prices, *, cached: bool = True) -> Terms:
    """The terms of a run under ``strategy`` at ``prices``; its ``cache`` field, if ``auto``, means what ``cached``
    says, and its ``max_tokens``, if ``auto``, the model's input limit less a reserve.
    """
    cache = getattr(strategy, "cache", "auto")
    limit = getattr(strategy, "max_tokens", None)
    if limit == "auto":
        limit = int(prices.limit * AUTO_SHARE)
    cached = cached if cache == "auto" else cache == "on"
    return Terms(prices if cached else prices.uncached(), limit or 0)
