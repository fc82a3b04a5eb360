"""The configuration of one run."""

from pydantic import BaseModel, ConfigDict

from sweagent.agent.agents import AgentConfig


class RunSingleConfig(BaseModel):
    """One run of an agent."""

    model_config = ConfigDict(extra="forbid")
    agent: AgentConfig
