"""ATIF 1.7 after its specification (Harbor's RFC 0001), strictly: what a document that we write must pass."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Extra = dict[str, Any] | None
Count = Annotated[int, Field(ge=0, strict=True)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class ImageSource(Strict):
    media_type: Literal["image/jpeg", "image/png", "image/gif", "image/webp"]
    path: str


class TextPart(Strict):
    type: Literal["text"]
    text: str


class ImagePart(Strict):
    type: Literal["image"]
    source: ImageSource


Content = str | list[TextPart | ImagePart]


class Reference(Strict):
    trajectory_id: str | None = None
    trajectory_path: str | None = None
    session_id: str | None = None
    extra: Extra = None

    @model_validator(mode="after")
    def leads_somewhere(self) -> Self:
        assert self.trajectory_id or self.trajectory_path
        return self


class Result(Strict):
    source_call_id: str | None = None
    content: Content | None = None
    subagent_trajectory_ref: list[Reference] | None = None
    extra: Extra = None


class Observation(Strict):
    results: list[Result]


class ToolCall(Strict):
    tool_call_id: str
    function_name: str
    arguments: dict[str, Any]
    extra: Extra = None


class Metrics(Strict):
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    cached_tokens: Count | None = None
    cost_usd: float | None = None
    prompt_token_ids: list[int] | None = None
    completion_token_ids: list[int] | None = None
    logprobs: list[float] | None = None
    extra: Extra = None

    @model_validator(mode="after")
    def the_cached_are_part_of_the_prompt(self) -> Self:
        assert (self.cached_tokens or 0) <= (self.prompt_tokens or 0)
        return self


AGENT_ONLY = {"model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics"}


class Step(Strict):
    step_id: Count
    timestamp: str | None = None
    source: Literal["agent", "system", "user"]
    model_name: str | None = None
    reasoning_effort: str | float | None = None
    message: Content
    reasoning_content: str | None = None
    tool_calls: list[ToolCall] | None = None
    observation: Observation | None = None
    metrics: Metrics | None = None
    extra: Extra = None
    llm_call_count: Count | None = None
    is_copied_context: bool | None = None

    @model_validator(mode="after")
    def fields_suit_the_source(self) -> Self:
        datetime.fromisoformat(self.timestamp or "2025-01-01")
        assert self.source == "agent" or not AGENT_ONLY & self.model_fields_set
        if self.source == "agent" and self.llm_call_count == 0:
            assert self.metrics is None
            assert self.reasoning_content is None
        results = self.observation.results if self.observation else []
        named = {result.source_call_id for result in results if result.source_call_id is not None}
        assert named <= {call.tool_call_id for call in self.tool_calls or ()}
        return self


class Agent(Strict):
    name: str
    version: str
    model_name: str | None = None
    tool_definitions: list[dict[str, Any]] | None = None
    extra: Extra = None


class FinalMetrics(Strict):
    total_prompt_tokens: Count | None = None
    total_completion_tokens: Count | None = None
    total_cached_tokens: Count | None = None
    total_cost_usd: float | None = None
    total_steps: Count | None = None
    extra: Extra = None


class Document(Strict):
    schema_version: Literal["ATIF-v1.7"]
    session_id: str | None = None
    trajectory_id: str | None = None
    agent: Agent
    steps: Annotated[list[Step], Field(min_length=1)]
    notes: str | None = None
    final_metrics: FinalMetrics | None = None
    continued_trajectory_ref: str | None = None
    extra: Extra = None
    subagent_trajectories: list[Self] | None = None

    @model_validator(mode="after")
    def numbers_and_names_are_in_order(self) -> Self:
        assert [step.step_id for step in self.steps] == list(range(1, len(self.steps) + 1))
        inner = [one.trajectory_id for one in self.subagent_trajectories or ()]
        assert None not in inner
        assert len(set(inner)) == len(inner)
        return self
