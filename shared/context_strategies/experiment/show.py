"""What is printed of an experiment: its cells, what came of them, and how to go on."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from context_strategies.experiment import record as states
from context_strategies.experiment.cells import Cell
from context_strategies.experiment.record import Record, claimed, is_finished
from context_strategies.experiment.runner import Outcome


def unfinished(cells: Sequence[Cell]) -> list[Cell]:
    """Those that are not done."""
    return [cell for cell in cells if not is_finished(cell, Record.read(cell))]


def print_cells(cells: Sequence[Cell]) -> None:
    """A line a cell: its state and name."""
    console = _console()
    for cell in cells:
        console.print(f"{_state(cell, Record.read(cell)):<8} {cell.name}", markup=False)


def _state(cell: Cell, record: Record | None) -> str:
    if record is None:
        return "new"
    if record.state == states.RUNNING:
        with claimed(cell) as free:
            return "broken" if free else "running"
    return "changed" if record.state == states.DONE and not is_finished(cell, record) else record.state


def print_jobs(experiment: Path, cells: Sequence[Cell]) -> None:
    """A line for each cell that is not done: the command that runs it, for a shell."""
    words = ["context-strategies", "run", str(experiment.resolve()), "--only"]
    for cell in unfinished(cells):
        _console().out(shlex.join([*words, cell.name]), highlight=False)


def print_outcome(cells: Sequence[Cell], outcome: Outcome) -> None:
    """A row a label, what failed, what is left for want of money, and the command that compares the results."""
    console = _console()
    table = Table(
        "label", "done", "calls", "cost, $", title=f"{len(outcome.before)} done before, {len(outcome.ran)} run"
    )
    table.columns[0].overflow = "fold"
    for column in table.columns[1:]:
        column.justify = "right"
    for label in dict.fromkeys(cell.label for cell in cells):
        records = [Record.read(cell) for cell in cells if cell.label == label]
        done = [record for record in records if record and record.state == states.DONE]
        calls = sum(record.calls for record in done)
        cost = "unknown" if any(record.cost is None for record in done) else f"{sum(r.cost or 0.0 for r in done):.4f}"
        table.add_row(escape(label), f"{len(done)} of {len(records)}", f"{calls:,}", cost)
    console.print(table)
    for name, record in outcome.ran.items():
        if record.state != states.DONE:
            console.print(f"{record.state}: {name}: {record.reason}", markup=False)
    for cell in outcome.left:
        console.print(f"left, for want of money (${outcome.spent:.4f} are spent): {cell.name}", markup=False)
    console.print(compare_command(cells), markup=False)


def compare_command(cells: Sequence[Cell]) -> str:
    """The command that sets the labels that have results side by side, a line each."""
    words = [f"{cell.label}={_short(cell.out / cell.label)}" for cell in cells if cell.folder.is_dir()]
    lines = ["context-strategies compare", *(f"  {shlex.quote(word)}" for word in dict.fromkeys(words))]
    return " \\\n".join(lines) if words else ""


def _short(path: Path) -> Path:
    """``path`` from here, if it is below."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _console() -> Console:
    return Console(highlight=False, soft_wrap=True)
