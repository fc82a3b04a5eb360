"""What a ``classpath`` in ``config.toml`` names to load the strategies with the unmodified OpenHands command.

    [agent.context]
    classpath = "openhands_plugin.v0.agent.ContextAgent"

OpenHands imports it while it reads that section, before it reads ``[condenser]``. Nothing else of it is called by then:
so here, and only here, an import registers the strategies.
"""

from openhands.agenthub.codeact_agent import CodeActAgent

from openhands_plugin.v0.register import register


class ContextAgent(CodeActAgent):
    """OpenHands' CodeActAgent as it is. It need not be the agent that runs: the condensers work in CodeActAgent too."""


register()
