"""What ``sweagent-context enable`` starts in every Python of an environment: it waits for SWE-agent to be imported.

Standard library only, so that other programs of the environment start no slower.
"""

import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

PROCESSORS = "sweagent.agent.history_processors"


class Finder:
    """Extends SWE-agent's module of history processors right after it has been executed, once."""

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's own spec, with a loader that registers the strategies too; None for any other module."""
        if name != PROCESSORS:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            _extend(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def install() -> None:
    """Start to wait."""
    sys.meta_path.insert(0, Finder())


def _extend(module: ModuleType) -> None:
    try:
        from swe_agent_plugin.register import extend  # noqa: PLC0415 - heavy, and only now needed

        extend(module)
    except Exception as error:  # noqa: BLE001 - SWE-agent without the strategies is better than none
        sys.stderr.write(f"context-strategies could not register with SWE-agent: {error}\n")
