"""OpenHands condensers, one for each strategy of ``context_strategies``.

``v1`` is for the SDK, ``v0`` for the generation before it, which is configured in ``config.toml``.
"""
