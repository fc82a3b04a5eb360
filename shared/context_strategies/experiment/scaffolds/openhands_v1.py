"""The OpenHands SDK: an agent with its usual tools, started by :mod:`openhands_plugin.v1.run`."""

import uuid
from pathlib import Path

import yaml

from context_strategies.experiment.cells import Cell

CONFIG = "openhands.yaml"


def command(cell: Cell, workspace: Path | None) -> list[str]:
    """Write what :mod:`openhands_plugin.v1.run` reads; the module, and its arguments."""
    config = {
        "model": cell.model.name,
        "api_base": cell.model.api_base,
        "strategy": None if cell.is_raw else dict(cell.fields),
        "task": cell.task,
        "workspace": str(workspace),
        "conversations": str(cell.folder),
        "conversation": str(uuid.uuid5(uuid.NAMESPACE_URL, cell.instance.id)),
        "budget": cell.budget,
    }
    own = cell.folder / CONFIG
    own.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    return ["-m", "openhands_plugin.v1.run", str(own), *cell.settings.arguments]
