"""OpenHands condensers, one for each strategy of ``context_strategies``: ``v1`` for the SDK, ``v0`` for ``config.toml``."""
