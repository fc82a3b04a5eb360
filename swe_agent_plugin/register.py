"""Making the strategies known to SWE-agent, beside its own history processors.

SWE-agent's configurations take a union of processor types that is told apart by ``type``. Extending it before the
configurations are defined is all there is to do; those that are defined already are built anew.
"""

import sys
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Annotated, Any, Union, get_args

from pydantic import Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from context_strategies.errors import ConfigError
from context_strategies.strategies import choose
from swe_agent_plugin.processors import processor_classes

PROCESSORS = "sweagent.agent.history_processors"

WITH_PROCESSORS = (("sweagent.agent.agents", ("DefaultAgentConfig", "ShellAgentConfig")),)
"""Where the union is used, by module and class."""

WITH_AGENTS = (
    ("sweagent.agent.agents", ("RetryAgentConfig",)),
    ("sweagent.run.run_single", ("RunSingleConfig",)),
    ("sweagent.run.run_batch", ("RunBatchConfig",)),
    ("sweagent.run.run_shell", ("RunShellConfig",)),
)
"""Where those are used in turn, inner ones first: a model keeps the validators of its fields' models as they were."""


def register() -> None:
    """Make the strategies valid types of ``agent.history_processors``; a second call changes nothing."""
    extend(import_module(PROCESSORS))


def extend(processors: ModuleType) -> None:
    """Add the strategies to the union in ``processors``, SWE-agent's module of that name."""
    union = get_args(processors.HistoryProcessor)[0]
    present = get_args(union)
    names = frozenset(cls.model_fields["type"].default for cls in present)
    new = tuple(cls for name, cls in processor_classes().items() if name not in names)
    if not new:
        return
    stop = WrapValidator(lambda value, theirs: _valid(value, theirs, names))
    extended: Any = Annotated[Union[(*present, *new)], Field(discriminator="type"), stop]
    processors.HistoryProcessor = extended  # type: ignore[attr-defined]  # SWE-agent's name for it
    for cls in _defined(WITH_PROCESSORS):
        sys.modules[cls.__module__].__dict__["HistoryProcessor"] = extended
        cls.model_fields["history_processors"].annotation = list[extended]
        cls.model_rebuild(force=True)
    for cls in _defined(WITH_AGENTS):
        cls.model_rebuild(force=True)


def _valid(value: Any, theirs: ValidatorFunctionWrapHandler, own: frozenset[str]) -> Any:
    """The processor that ``value`` configures. A wrong one of ours, or of an unknown type, stops the program in a line.

    SWE-agent would go on to its other kinds of agent, and bury that line among what each of them finds wrong. What is
    wrong with one of its ``own`` types is left to it; so is text, which it may try first for JSON on its command line.
    """
    try:
        return theirs(value)
    except ValidationError:
        kind = str(value.get("type", "")) if isinstance(value, Mapping) else ""
        if kind in own or not isinstance(value, Mapping):
            raise
        try:
            _check(kind, value, own)
        except ConfigError as error:
            raise SystemExit(f"SWE-agent config, agent.history_processors: {error}") from None
        raise


def _check(kind: str, value: Mapping[str, Any], own: frozenset[str]) -> None:
    """Raises ConfigError for what is wrong with ``value``, which is of none of SWE-agent's ``own`` types."""
    if kind not in processor_classes():
        wrong = f'unknown type "{kind}"' if kind else "each needs a type"
        raise ConfigError(f"{wrong}; choose one of: {', '.join([*sorted(own), *processor_classes()])}")
    choose(value)


def _defined(places: tuple[tuple[str, tuple[str, ...]], ...]) -> list[Any]:
    """The classes at ``places`` that exist so far; SWE-agent's versions have not all of them."""
    classes = [getattr(sys.modules.get(module), name, None) for module, names in places for name in names]
    return [cls for cls in classes if cls is not None]
