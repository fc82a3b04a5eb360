"""Configurations with a chain of processors, and an agent that sends its history through it."""

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from sweagent.agent.history_processors import HistoryProcessor, Unchanged
from sweagent.agent.models import LiteLLMModel, ModelConfig, ReplayModel


class DefaultAgentConfig(BaseModel):
    """One agent."""

    model_config = ConfigDict(extra="forbid")
    history_processors: list[HistoryProcessor] = Field(default_factory=lambda: [Unchanged()])
    model: ModelConfig = ModelConfig()
    type: Literal["default"] = "default"


class RetryAgentConfig(BaseModel):
    """Several."""

    model_config = ConfigDict(extra="forbid")
    agent_configs: list[DefaultAgentConfig]
    type: Literal["retry"] = "retry"


AgentConfig = DefaultAgentConfig | RetryAgentConfig


class DefaultAgent:
    """Keeps a history and shows it to the model through the chain."""

    def __init__(self, config: DefaultAgentConfig, traj_path: Path | None = None) -> None:
        config = config.model_copy(deep=True)
        self.model = (ReplayModel if config.model.name == "replay" else LiteLLMModel)(config.model)
        self.history_processors = config.history_processors
        self.traj_path = traj_path
        self.history: list[dict[str, Any]] = []

    @classmethod
    def of(cls, processors: list[dict[str, Any]], traj_path: Path | None = None, **model: Any) -> Self:
        """An agent with these processors and this model config."""
        config = {"history_processors": processors, "model": {"name": "gpt-4o", **model}}
        return cls(DefaultAgentConfig.model_validate(config), traj_path)

    @property
    def messages(self) -> list[dict[str, Any]]:
        messages = list(self.history)
        for processor in self.history_processors:
            messages = processor(messages)
        return messages
