"""A model class for mini-swe-agent that shows any other model class a managed context.

    model:
      model_class: mini_swe_agent_plugin.ContextModel
      context:
        type: masking

Nothing happens at import: the class is loaded when it is asked for, which is when mini-swe-agent is there.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mini_swe_agent_plugin.model import ContextModel as ContextModel


def __getattr__(name: str) -> Any:
    if name == "ContextModel":
        from mini_swe_agent_plugin.model import ContextModel  # noqa: PLC0415 - imports mini-swe-agent

        return ContextModel
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return ["ContextModel"]
