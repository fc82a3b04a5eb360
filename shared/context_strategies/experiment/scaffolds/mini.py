"""mini-swe-agent: ``mini`` for a folder, ``mini-extra swebench`` for a selection."""

from pathlib import Path
from typing import Any

import yaml

from context_strategies.experiment.cells import Cell

CONFIG = "mini.yaml"
"""What this cell changes in mini-swe-agent's own config."""


def command(cell: Cell, workspace: Path | None) -> list[str]:
    """Write the cell's config; the module that is the command, and its arguments."""
    own = cell.folder / CONFIG
    own.write_text(yaml.safe_dump(_config(cell, workspace), sort_keys=False), encoding="utf-8")
    if workspace:
        output = cell.folder / f"{cell.instance.id}.traj.json"
        words = ["minisweagent.run.mini", "-c", "mini.yaml", "-c", str(own), "--yolo", "--exit-immediately"]
        return ["-m", *words, "--agent-class", "default", "-o", str(output), *cell.settings.arguments]
    chosen = cell.instance
    words = ["minisweagent.run.benchmarks.swebench", "-c", "swebench.yaml", "-c", str(own), "-o", str(cell.folder)]
    words += ["--subset", chosen.subset, "--split", chosen.split, "--workers", str(chosen.workers)]
    words += ["--slice", chosen.slice, "--filter", chosen.filter]
    return ["-m", *words, *cell.settings.arguments]


def _config(cell: Cell, workspace: Path | None) -> dict[str, Any]:
    model: dict[str, Any] = {"model_name": cell.model.name, "cost_tracking": "ignore_errors"}
    if not cell.is_raw:
        model |= {"model_class": "mini_swe_agent_plugin.ContextModel", "context": dict(cell.fields)}
    if cell.model.api_base:
        model["model_kwargs"] = {"api_base": cell.model.api_base}
    config: dict[str, Any] = {"model": model, "agent": {"cost_limit": cell.budget}}
    if workspace:
        config |= {"run": {"task": cell.task}, "environment": {"cwd": str(workspace)}}
    return config
