"""Two processors, and the union that configurations take."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Item = dict[str, Any]


class Unchanged(BaseModel):
    """Hands the history on."""

    model_config = ConfigDict(extra="forbid")
    type: Literal["default"] = "default"

    def __call__(self, history: list[Item]) -> list[Item]:
        return history


class NewestMarked(BaseModel):
    """Clears all cache marks and marks the newest messages of user or tool role, in the history itself."""

    model_config = ConfigDict(extra="forbid")
    type: Literal["cache_control"] = "cache_control"
    last_n_messages: int = 2

    def __call__(self, history: list[Item]) -> list[Item]:
        left = self.last_n_messages
        for item in reversed(history):
            self._clear(item)
            if left > 0 and item["role"] in {"user", "tool"}:
                self._mark(item)
                left -= 1
        return list(history)

    @staticmethod
    def _clear(item: Item) -> None:
        item.pop("cache_control", None)
        for part in item["content"] if isinstance(item["content"], list) else ():
            part.pop("cache_control", None)

    @staticmethod
    def _mark(item: Item) -> None:
        if isinstance(item["content"], str):
            item["content"] = [{"type": "text", "text": item["content"]}]
        target = item if item["role"] == "tool" else item["content"][0]
        target["cache_control"] = {"type": "ephemeral"}


HistoryProcessor = Annotated[Unchanged | NewestMarked, Field(discriminator="type")]
