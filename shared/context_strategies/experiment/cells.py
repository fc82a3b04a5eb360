"""The cells of a plan: one run of one scaffold under one strategy, with one model, on one instance."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from context_strategies.errors import ConfigError
from context_strategies.experiment.plan import Instance, Model, Plan, Scaffold
from context_strategies.strategies.registry import as_mapping

MAX_NAME = 80
"""Characters of a folder's name that tells a strategy."""

Spec = str | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Cell:
    """What one run needs to know. ``home`` is the folder that relative paths start from, ``out`` the results'.

    ``strategy`` is as the plan spells it, ``fields`` a mapping with a ``type``, as configs of all scaffolds take it;
    ``label`` is ``scaffold/strategy/model``, each fit for a folder's name.
    """

    label: str
    scaffold: str
    settings: Scaffold
    strategy: Spec
    fields: Mapping[str, Any]
    model: Model
    instance: Instance
    budget: float
    timeout: float | None
    home: Path
    out: Path

    @property
    def name(self) -> str:
        """``scaffold/strategy/model/instance``."""
        return f"{self.label}/{self.instance.id}"

    @property
    def folder(self) -> Path:
        """Where its results go."""
        return self.out / self.name

    @property
    def key(self) -> str:
        """Twelve characters that tell this cell of this experiment from every other, the same each time."""
        return _digest(str(self.out), self.name)

    @property
    def setting(self) -> str:
        """Twelve characters that change with whatever could change the run: what differs from the defaults, so that an
        option which a later version adds changes none.
        """
        parts = (self.settings, self.model, self.instance)
        given = [part.model_dump(mode="json", exclude_defaults=True) for part in parts]
        return _digest(json.dumps([*given, self.fields, self.budget], sort_keys=True, default=str))

    @property
    def is_raw(self) -> bool:
        """Whether it runs the scaffold as it is, without a plugin."""
        return bool(self.fields["type"] == "raw")

    @property
    def task(self) -> str:
        """The task's text; ``{cell}`` in it stands for :attr:`key`."""
        return self.instance.task.replace("{cell}", self.key)


def cells_of(plan: Plan, path: Path) -> list[Cell]:
    """All cells of the plan that stands in ``path``, instance by instance.

    Raises ConfigError where two are one, and where a strategy's file can't be read.
    """
    home = path.parent.resolve()
    out = home / plan.out
    strategies = [(strategy, as_mapping(strategy, home)) for strategy in plan.strategies]
    cells = [
        Cell(
            label=f"{scaffold}/{name_of(strategy)}/{_fit(model.name)}",
            scaffold=scaffold,
            settings=settings or Scaffold(),
            strategy=strategy,
            fields=fields,
            model=model,
            instance=instance,
            budget=plan.cell_budget,
            timeout=plan.timeout,
            home=home,
            out=out,
        )
        for instance in _instances(plan)
        for model in plan.models
        for scaffold, settings in plan.scaffolds.items()
        for strategy, fields in strategies
    ]
    names: set[str] = set()
    for cell in cells:
        if cell.name in names:
            raise ConfigError(f"{path}: two cells are called {cell.name}")
        names.add(cell.name)
    return cells


def chosen(cells: list[Cell], names: list[str] | None) -> tuple[list[Cell], list[Cell]]:
    """The cells called so, all of them where no names are given, and the others; raises ConfigError for a name that
    none has.
    """
    if not names:
        return cells, []
    others = {cell.name: cell for cell in cells}
    for name in names:
        if name not in others:
            raise ConfigError(f"no cell is called {name}; --list prints what they are called")
    return [others.pop(name) for name in dict.fromkeys(names)], list(others.values())


def name_of(strategy: Spec) -> str:
    """A strategy as a folder's name.

    >>> name_of("masking:window=5,refresh=1"), name_of({"type": "masking", "window": 5})
    ('masking-window-5-refresh-1', 'masking-window-5')
    """
    if isinstance(strategy, str):
        return _fit(strategy)
    rest = "-".join(f"{key}-{value}" for key, value in strategy.items() if key != "type")
    return _fit(f"{strategy['type']}-{rest}" if rest else str(strategy["type"]))


def _fit(text: str) -> str:
    """``text`` as a folder's name, which may be part of a LABEL=PATH as well."""
    name = re.sub(r"[^\w.]+", "-", text, flags=re.ASCII).strip("-.") or "x"
    return name if len(name) <= MAX_NAME else f"{name[:MAX_NAME]}-{_digest(text)}"


def _instances(plan: Plan) -> Iterator[Instance]:
    """The plan's instances; a selection with ids as one for each."""
    for instance in plan.instances:
        if not instance.ids:
            yield instance
        for one in instance.ids:
            yield instance.model_copy(update={"id": one, "filter": f"^{re.escape(one)}$", "ids": ()})


def _digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()[:12]
