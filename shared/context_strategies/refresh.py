"""When a masking boundary may move.

Hiding an old observation saves its tokens in every later request, but what stands behind it must be read anew once,
since a prompt cache holds prefixes only. So a boundary moves every so many turns, or when enough tokens have piled up,
or when it pays (``break_even``).
"""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, PositiveInt

from context_strategies.prices import Prices

BREAK_EVEN: Literal["break_even"] = "break_even"

REGRET = 0.07
"""Share of the raw agent's cost so far that a move may put at risk.

This and ``MARGIN`` were set on 25 recorded runs of 15 turns and more, at five pairs of cache prices: below 0.06 moves
that pay come too late, above 0.08 some run ends dearer than the raw agent."""

SUMMARY_REGRET = 0.25
"""The same for summaries: their calls cost far more than a mask's rewritten suffix, and at 0.07 none is ever made."""

MARGIN = 1.25
"""How many times its price the rent must have reached before a move: sizes are estimates."""


class MinTokens(BaseModel):
    """Move when at least ``min_tokens`` estimated tokens would be hidden at once."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    min_tokens: PositiveInt


Refresh = PositiveInt | MinTokens | Literal["break_even"]


@dataclass(frozen=True, slots=True)
class Offer:
    """One boundary move to decide on, in estimated tokens: the next request without it (``prompt``), what it would
    ``save``, and what of the request would still be found in the cache (``prefix``, everything before the first message
    it changes). ``raw`` is the request of an agent that hides nothing; ``output`` what the model wrote in the turn that
    has just ended; ``fee`` what the move itself costs, in US dollars (a summary call).
    """

    prompt: int
    save: int
    prefix: int
    raw: int
    output: int
    fee: float = 0.0


@dataclass(frozen=True, slots=True)
class Account:
    """What break-even remembers between turns: the ``rent`` paid since the last move for what could have been hidden;
    the size of the last request (``sent``) and of the raw agent's (``raw_sent``) in tokens; and what both agents have
    cost so far (``spent``, ``raw_spent``), in US dollars.
    """

    rent: float = 0.0
    sent: int = 0
    raw_sent: int = 0
    spent: float = 0.0
    raw_spent: float = 0.0


def decide(account: Account, offer: Offer, prices: Prices, regret: float = REGRET) -> tuple[bool, Account]:
    """Whether to take ``offer`` now, and the account after this turn.

    Ski rental: not moving costs rent each turn; move once the rent paid covers the price of moving (``MARGIN`` times).
    Online, it needs no forecast of how long the run will be, and without a cache discount the price is never above
    zero, so that it always moves. A move is put off while it could leave the run dearer than the raw agent by more than
    ``regret``.
    """
    shorter = offer.prompt - offer.save
    stay = prices.request(offer.prompt, min(account.sent, offer.prompt))
    move = prices.request(shorter, min(account.sent, offer.prefix)) + offer.fee
    written = prices.rates(offer.raw).output * offer.output
    raw_spent = account.raw_spent + written + prices.request(offer.raw, min(account.raw_sent, offer.raw))
    spent = account.spent + written
    rent = account.rent
    if offer.save > 0:
        settled = max(min(account.sent, offer.prompt) - offer.save, 0)
        rent += prices.request(offer.prompt, settled + offer.save) - prices.request(shorter, settled)
    paid = move <= stay or (rent >= MARGIN * (move - stay) and spent + move <= raw_spent * (1 + regret))
    if offer.save > 0 and paid:
        return True, Account(0.0, shorter, offer.raw, spent + move, raw_spent)
    return False, Account(rent, offer.prompt, offer.raw, spent + stay, raw_spent)
