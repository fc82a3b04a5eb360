"""How a cell is started by each scaffold's own command."""

from collections.abc import Callable
from pathlib import Path

from context_strategies.experiment.cells import Cell
from context_strategies.experiment.scaffolds import mini, openhands_v1, sweagent

COMMANDS: dict[str, Callable[[Cell, Path | None], list[str]]] = {
    "mini": mini.command,
    "openhands_v1": openhands_v1.command,
    "sweagent": sweagent.command,
}
"""By name: writes what the scaffold reads into the cell's folder, and gives the words after its interpreter's."""
