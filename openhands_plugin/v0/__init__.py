"""OpenHands V0 condensers: one for each strategy of ``context_strategies``, chosen by its name in ``config.toml``.

:func:`openhands_plugin.v0.register.register` makes the types known to OpenHands. ``python -m openhands_plugin`` calls
it, and so does, with the unmodified OpenHands command, ``classpath = "openhands_plugin.v0.agent.ContextAgent"`` in any
``[agent.NAME]`` section.
"""
