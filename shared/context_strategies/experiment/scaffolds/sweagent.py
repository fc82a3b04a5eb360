"""SWE-agent: ``run`` for a folder, ``run-batch`` for a selection, through the launcher that knows the strategies."""

import json
from collections.abc import Mapping
from pathlib import Path

from context_strategies.experiment.cells import Cell

TASK = "task.md"
MARKS = {"type": "cache_control", "last_n_messages": 2}
"""The end of SWE-agent's own chain, as its ``default.yaml`` has it."""

DROP = '{"drop_params": true}'
"""SWE-agent sends a temperature and a top_p that some models refuse; the other scaffolds leave out what is refused."""


def command(cell: Cell, workspace: Path | None) -> list[str]:
    """Write the task; the module that is the command, and its arguments."""
    words = ["-m", "swe_agent_plugin", "run" if workspace else "run-batch"]
    words += [f"--output_dir={cell.folder}", f"--agent.history_processors={json.dumps(_chain(cell))}", *_model(cell)]
    chosen = cell.instance
    if workspace:
        task = cell.folder / TASK
        task.write_text(cell.task, encoding="utf-8")
        words += [f"--env.repo.path={workspace}", f"--problem_statement.path={task}"]
        words += [f"--problem_statement.id={chosen.id}"]
    else:
        words += ["--instances.type=swe_bench", f"--instances.subset={chosen.subset}"]
        words += [f"--instances.split={chosen.split}", f"--num_workers={chosen.workers}"]
        words += [f"--instances.{key}={value}" for key in ("slice", "filter") if (value := getattr(chosen, key))]
    return [*words, *cell.settings.arguments]


def _chain(cell: Cell) -> list[Mapping[str, object]]:
    return [MARKS] if cell.is_raw else [cell.fields, MARKS]


def _model(cell: Cell) -> list[str]:
    words = [f"--agent.model.name={cell.model.name}", f"--agent.model.per_instance_cost_limit={cell.budget}"]
    words += [f"--agent.model.total_cost_limit={cell.budget}", f"--agent.model.completion_kwargs={DROP}"]
    if cell.model.api_base:
        words.append(f"--agent.model.api_base={cell.model.api_base}")
    if cell.model.key:
        words.append(f"--agent.model.api_key=${cell.model.key}")
    return words
