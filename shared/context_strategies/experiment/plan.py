"""What an experiment file says, checked: scaffolds, strategies, models, instances, and what it may cost."""

import os
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt, ValidationError
from pydantic import NonNegativeFloat as Dollars

from context_strategies.errors import ConfigError
from context_strategies.fields import section
from context_strategies.strategies.registry import as_mapping, choose
from context_strategies.yaml_text import read_yaml

SCAFFOLDS = ("mini", "openhands_v1", "sweagent")
"""mini-swe-agent, the OpenHands SDK, SWE-agent."""

CELL_BUDGET = 3.0
"""US dollars: the limit that mini-swe-agent and SWE-agent set on an instance themselves."""


class Part(BaseModel):
    """What the parts of an experiment file have in common: frozen, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Scaffold(Part):
    """How a scaffold is started."""

    python: str = Field(default="", description="Interpreter of its environment; empty: the one that runs this.")
    arguments: tuple[str, ...] = Field(default=(), description="Further arguments of its command.")
    wrapper: tuple[str, ...] = Field(default=(), description="Words in front of its command: nice, srun, a sandbox.")
    environment: dict[str, str] = Field(default={}, description="Environment variables besides the inherited ones.")


def _variable(name: str) -> str:
    if name and not re.fullmatch(r"[A-Z][A-Z0-9_]*", name):
        raise ValueError("must be the name of an environment variable, as OPENAI_API_KEY; keys stand in no file")
    return name


class Model(Part):
    """A model, as litellm spells it: ``openai/gpt-5-mini``."""

    name: str = Field(min_length=1)
    api_base: str = Field(default="", description="Where it is served, if not at its provider's.")
    key: Annotated[str, AfterValidator(_variable)] = Field(
        default="", description="Environment variable that holds its key; empty: the provider's usual one."
    )


Name = Annotated[str, Field(pattern=r"^\w[\w.-]*$")]
"""Fit for a folder's name."""


class Instance(Part):
    """A task in a folder of your own, or a selection of SWE-bench that the scaffold makes itself.

    ``folder`` is copied for each cell. ``subset`` to ``workers`` go to ``mini-extra swebench`` and ``sweagent
    run-batch``; with ``ids`` each is a cell of its own, otherwise the selection is one.
    """

    id: Name
    folder: Path | None = None
    task: str = ""
    subset: str = ""
    split: str = "test"
    slice: str = ""
    filter: str = ""
    ids: tuple[Name, ...] = ()
    workers: PositiveInt = 1


def _instance(instance: Instance) -> Instance:
    if bool(instance.folder) == bool(instance.subset):
        raise ValueError("needs either a folder with a task, or a subset of SWE-bench")
    if instance.folder and not instance.task:
        raise ValueError("a folder needs a task")
    return instance


def _listed(value: Any) -> Any:
    """Models may be mere names."""
    return [{"name": item} if isinstance(item, str) else item for item in value] if isinstance(value, list) else value


class Plan(Part):
    """An experiment. Relative paths in it are relative to its file."""

    scaffolds: dict[str, Scaffold | None] = Field(min_length=1)
    strategies: tuple[str | dict[str, Any], ...] = Field(min_length=1)
    models: tuple[Model, ...] = Field(min_length=1)
    instances: tuple[Annotated[Instance, AfterValidator(_instance)], ...] = Field(min_length=1)
    out: Path = Field(default=Path("runs"), description="Folder of the results.")
    budget: PositiveFloat | None = Field(default=None, description="US dollars that all cells may cost together.")
    cell_budget: Dollars = Field(
        default=CELL_BUDGET, description="US dollars after which the scaffold ends a cell; 0: no limit."
    )
    parallel: PositiveInt = Field(default=1, description="Cells that run at a time.")
    timeout: PositiveFloat | None = Field(default=None, description="Seconds after which a cell is ended.")

    @classmethod
    def read(cls, path: Path) -> Self:
        """The plan in a YAML file; raises ConfigError with the place and the valid choices."""
        content = read_yaml(path)
        if not isinstance(content, Mapping):
            raise ConfigError(f"{path}: must be a mapping with {', '.join(cls.model_fields)}")
        try:
            plan = cls.model_validate({**content, "models": _listed(content.get("models"))})
        except ValidationError as error:
            raise ConfigError(f"{path}: {_one_line(error)}") from None
        for problem in chain(_unknown(plan, path.parent), _absent(plan, path.parent)):
            raise ConfigError(f"{path}: {problem}")
        return plan


def _unknown(plan: Plan, home: Path) -> Iterator[str]:
    """Scaffolds and strategies that there are not, and a strategy that holds a key."""
    for name in plan.scaffolds:
        if name not in SCAFFOLDS:
            yield f'scaffolds: unknown scaffold "{name}"; choose of: {", ".join(SCAFFOLDS)}'
    for index, spec in enumerate(plan.strategies):
        try:
            choose(spec, home)
            if section(as_mapping(spec, home), "summarizer").get("api_key"):
                yield f"strategies[{index}]: summarizer.api_key: keys stand in no file; set the provider's variable"
        except ConfigError as error:
            yield f"strategies[{index}]: {error}"


def _absent(plan: Plan, home: Path) -> Iterator[str]:
    """Folders, runners and keys that are named and not there; a budget without its share for each cell."""
    for instance in plan.instances:
        if instance.folder and not (home / instance.folder).is_dir():
            yield f"instances: {instance.id}: {instance.folder}: no such folder"
        if instance.subset and "openhands_v1" in plan.scaffolds:
            yield f"instances: {instance.id}: openhands_v1 brings no SWE-bench runner; give a folder and a task"
    for model in plan.models:
        if model.key and not os.environ.get(model.key):
            yield f"models: {model.name}: the environment variable {model.key} is not set"
    if plan.budget and not plan.cell_budget:
        yield "budget: needs a cell_budget, which is set aside for each running cell"


def _one_line(error: ValidationError) -> str:
    """The first thing wrong, where it stands, and what could stand there; a misspelt key before the one it stands for,
    which is then missing.
    """
    first = min(error.errors(), key=lambda wrong: wrong["type"] != "extra_forbidden")
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"]).lstrip(".")
    if first["type"] == "extra_forbidden":
        return f"{place}: unknown key; valid keys: {', '.join(_keys(first['loc']))}"
    if first["type"] == "missing":
        return f"{place}: is missing"
    return f"{place}: {str(first['msg']).removeprefix('Value error, ')}"


def _keys(place: tuple[int | str, ...]) -> list[str]:
    parts: dict[int | str, type[Part]] = {"scaffolds": Scaffold, "models": Model, "instances": Instance}
    return list((parts[place[0]] if len(place) > 1 else Plan).model_fields)
