"""What one request costs: one function, with cache prices and tiers."""

from dataclasses import dataclass, replace


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


@dataclass(frozen=True, slots=True)
class Rates:
    """Prices of one token, in US dollars: read as input, written as output, read from and written to a prompt cache."""

    input: float
    output: float
    cache_read: float
    cache_write: float


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of a model.

    ``tiers`` are (prompt tokens, rates), ascending, the first at 0: the last one whose threshold the prompt exceeds
    prices the whole call (``inclusive``: reaches). ``min_cacheable`` is the shortest prefix the provider caches, in
    tokens, and ``granularity`` the steps it caches in; ``limit`` the most tokens a prompt may have, 0 where unknown.
    ``explicit``: it caches only up to marks that the request sets. ``assumed``: the model has no known prices and these
    stand in.
    """

    model: str
    tiers: tuple[tuple[int, Rates], ...]
    inclusive: bool = False
    min_cacheable: int = 0
    granularity: int = 1
    limit: int = 0
    explicit: bool = False
    assumed: bool = False

    def rates(self, prompt: int) -> Rates:
        """What a call with ``prompt`` tokens of input is priced at."""
        found = self.tiers[0][1]
        for threshold, rates in self.tiers[1:]:
            if prompt > threshold or (self.inclusive and prompt == threshold):
                found = rates
        return found

    def price(self, usage: Usage) -> float:
        """Cost of one call in US dollars."""
        rates = self.rates(usage.prompt)
        fresh = usage.prompt - usage.cached - usage.written
        read = fresh * rates.input + usage.cached * rates.cache_read + usage.written * rates.cache_write
        return read + usage.output * rates.output

    def usage(self, prompt: int, cached: int, output: int = 0) -> Usage:
        """Usage of a call of which ``cached`` tokens are in the cache and the rest goes there, where writing has a
        price.
        """
        rates = self.rates(prompt)
        return Usage(prompt, cached, prompt - cached if rates.cache_write > rates.input else 0, output)

    def request(self, prompt: int, cached: int) -> float:
        """Input cost of a call of which ``cached`` tokens are in the cache, in US dollars."""
        return self.price(self.usage(prompt, cached))

    def caches(self, *, marks: bool) -> bool:
        """Whether a run's prompts are cached: by itself, or where the provider caches up to marks, if it sets them."""
        return marks or not self.explicit

    def uncached(self) -> "Prices":
        """The same model used without its cache: every token of a prompt costs the input price."""
        plain = tuple(
            (threshold, replace(rates, cache_read=rates.input, cache_write=rates.input))
            for threshold, rates in self.tiers
        )
        return replace(self, tiers=plain)


def relative(cache_read: float = 0.1, cache_write: float = 1.25, output: float = 5.0) -> Prices:
    """Prices in units of the input price, one dollar a million input tokens: what is assumed of an unknown model.

    The defaults are the ratios Anthropic lists for its models: read 0.1, write 1.25, output 5.
    """
    name = f"assumed (cache read {cache_read:g}, write {cache_write:g}, output {output:g} of the input price)"
    rates = Rates(1e-6, output * 1e-6, cache_read * 1e-6, cache_write * 1e-6)
    return Prices(name, ((0, rates),), assumed=True)
