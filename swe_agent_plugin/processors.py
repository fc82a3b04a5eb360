"""One history processor for each strategy, made from the core's registry: the same names, fields, defaults and help."""

from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, PrivateAttr, SerializerFunctionWrapHandler, create_model, model_serializer

from context_strategies.strategies import strategy_classes
from swe_agent_plugin.conversation import Conversation
from swe_agent_plugin.translate import Item


class Processor(BaseModel):
    """What SWE-agent calls before each request. It is the strategy's config model, and one agent's conversation."""

    _conversation: Conversation = PrivateAttr(default_factory=Conversation)

    def __call__(self, history: list[Item]) -> list[Item]:
        """The items to send in the place of ``history``, which stays as it is. Never raises."""
        strategy: Any = self  # as every class made below is
        return self._conversation(strategy, history)

    @model_serializer(mode="wrap")
    def _plain(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """The fields, tuples as lists: SWE-agent writes them as YAML, where a tuple could not be read back."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in handler(self).items()}


@cache
def processor_classes() -> dict[str, type[Processor]]:
    """The processor of every strategy, by its ``type``."""
    return {name: _processor_class(name, cls) for name, cls in strategy_classes().items()}


def _processor_class(name: str, strategy: type[BaseModel]) -> type[Processor]:
    bases: Any = (Processor, strategy)
    fields: Any = {"type": (Literal[name], name)}
    made: type[Processor] = create_model(
        f"{strategy.__name__}Processor", __base__=bases, __module__=__name__, __doc__=strategy.__doc__, **fields
    )
    return made


def __getattr__(name: str) -> type[Processor]:
    """The processors as attributes, by type and by class name, for ``--help_option`` and ``import_module``."""
    for key, cls in processor_classes().items():
        if name in {key, cls.__name__}:
            return cls
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
