"""A model client with limits and statistics; what it answers is set by a test."""

from collections.abc import Callable
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, SecretStr

from sweagent.exceptions import InstanceCallLimitExceededError


class ModelConfig(BaseModel):
    """The fields of a model config that the plugin reads or changes."""

    model_config = ConfigDict(extra="forbid")
    name: str = "gpt-4o"
    per_instance_cost_limit: float = 3.0
    total_cost_limit: float = 0.0
    per_instance_call_limit: int = 0
    temperature: float = 0.0
    api_base: str | None = None
    api_key: SecretStr | None = None
    completion_kwargs: dict[str, Any] = {}
    fallbacks: list[dict[str, Any]] = []
    max_input_tokens: int | None = None
    max_output_tokens: int | None = None


class Stats(BaseModel):
    """What one instance has used."""

    instance_cost: float = 0
    tokens_sent: int = 0
    tokens_received: int = 0
    api_calls: int = 0


class LiteLLMModel:
    """Asks ``answer``, counts, and raises where a limit is exceeded."""

    answer: ClassVar[Callable[[ModelConfig, list[dict[str, Any]]], str]] = staticmethod(
        lambda _config, _messages: "Done."
    )

    def __init__(self, config: ModelConfig, tools: object = None) -> None:
        self.config = config.model_copy(deep=True)
        self.tools = tools
        self.stats = Stats()

    def query(self, history: list[dict[str, Any]]) -> dict[str, Any]:
        text = type(self).answer(self.config, history)
        self.stats.api_calls += 1
        self.stats.tokens_sent += 100
        self.stats.tokens_received += 10
        self.stats.instance_cost += 0.5
        if 0 < self.config.per_instance_call_limit < self.stats.api_calls:
            raise InstanceCallLimitExceededError
        return {"message": text}


class ReplayModel:
    """Repeats a run; it must not be asked for anything else."""

    def __init__(self, config: ModelConfig, tools: object = None) -> None:
        self.config = config
        self.tools = tools
        self.stats = Stats()
