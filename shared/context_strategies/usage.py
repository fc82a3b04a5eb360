"""Recorded usage of one call, however the provider spells it."""

from context_strategies.fields import section, tokens
from context_strategies.prices import Usage


def usage_of(record: object) -> Usage | None:
    """Tokens of one call from a response's ``usage``: OpenAI's (both APIs), Anthropic's, DeepSeek's or litellm's.

    None where no prompt tokens are recorded.
    """
    usage = section(record)
    details = section(usage, "prompt_tokens_details") or section(usage, "input_tokens_details")
    prompt = tokens(usage.get("prompt_tokens")) or tokens(usage.get("input_tokens"))
    read = tokens(usage.get("cache_read_input_tokens"))
    cached = read or tokens(details.get("cached_tokens")) or tokens(usage.get("prompt_cache_hit_tokens"))
    written = tokens(usage.get("cache_creation_input_tokens")) or tokens(details.get("cache_creation_tokens"))
    apart = not usage.get("prompt_tokens") and not details  # Anthropic's own: neither part is in its input_tokens
    if apart or cached > prompt:
        prompt += cached + written
    elif cached + written > prompt:
        prompt += written
    output = tokens(usage.get("completion_tokens")) or tokens(usage.get("output_tokens"))
    return Usage(prompt, cached, written, output) if prompt else None
