"""SWE-agent history processors: one for each strategy of ``context_strategies``, by its name.

Nothing happens at import. :func:`swe_agent_plugin.register.register` makes the types known to SWE-agent, and
``python -m swe_agent_plugin`` does so and then runs SWE-agent.
"""
