"""One cell from start to end: a clean folder, the scaffold's command, and what came of it."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from context_strategies.errors import ConfigError
from context_strategies.experiment import record as states
from context_strategies.experiment import workspace
from context_strategies.experiment.cells import Cell
from context_strategies.experiment.costs import recorded
from context_strategies.experiment.record import Record, claimed, clear, is_finished
from context_strategies.experiment.scaffolds import COMMANDS
from context_strategies.fields import MAX_REASON, printable, reason

POLL = 0.1
"""Seconds between looks at whether a cell has ended, or must."""


class Stop(Protocol):
    """Tells a cell when to end, as a :class:`threading.Event` does."""

    def is_set(self) -> bool:
        """Whether it must end."""
        ...

    def wait(self, timeout: float) -> bool:
        """The same after so many seconds, or sooner."""
        ...


def run_cell(cell: Cell, stop: Stop | None = None) -> Record:
    """Run ``cell`` anew in a clean folder, unless it is done or another process is at it; ends early on ``stop``.

    What goes wrong is in the record that it gives and leaves in the folder; only a broken disk raises.
    """
    with claimed(cell) as mine:
        before = Record.read(cell)
        if before is not None and is_finished(cell, before):
            return before
        if not mine:
            return Record(cell.label, cell.instance.id, states.BUSY, cell.setting, reason="another process is at it")
        spent = before.earlier + (recorded(cell.folder).cost or 0.0) if before else 0.0
        record = Record(cell.label, cell.instance.id, states.RUNNING, cell.setting, earlier=spent, started=time.time())
        record.write(cell.folder)
        clear(cell.folder)
        ended = _finished(cell, _attempt(cell, record, stop or threading.Event()))
        ended.write(cell.folder)
        return ended


def _attempt(cell: Cell, record: Record, stop: Stop) -> Record:
    """Prepare, run and clear away; the record with the state it ended in."""
    try:
        place = workspace.prepare(cell)
        start = workspace.commit_of(place) if place else ""
        words = COMMANDS[cell.scaffold](cell, place)
        python = cell.settings.python or sys.executable
        record = replace(record, command=(*cell.settings.wrapper, python, *words))
        record.write(cell.folder)
        record = _run(cell, record, stop)
        if place:
            with suppress(ConfigError, OSError):  # the run stands without them
                workspace.keep_changes(place, start, cell.folder)
    except (ConfigError, OSError) as error:
        where = f"{error.filename}: " if isinstance(error, OSError) and error.filename else ""
        return replace(record, state=states.FAILED, reason=f"{where}{reason(error)}")
    finally:
        workspace.remove(workspace.place_of(cell))
    return record


def _run(cell: Cell, record: Record, stop: Stop) -> Record:
    """Run the command until it ends, its time is up, or ``stop`` is set."""
    guarded = [sys.executable, "-m", "context_strategies.experiment.guard", *record.command]
    deadline = time.monotonic() + (cell.timeout or float("inf"))
    state = states.DONE
    with (cell.folder / states.LOG).open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 - the scaffold that the user named
            guarded, stdin=subprocess.PIPE, stdout=log, stderr=log, cwd=cell.home, env=environment(cell, os.environ)
        )
        while process.poll() is None:
            if stop.wait(POLL) or time.monotonic() > deadline:
                state = states.STOPPED if stop.is_set() else states.TIMEOUT
                break
        if process.stdin:
            process.stdin.close()  # which tells the guard to end what still runs
        code = process.wait()
    if state == states.DONE and code:
        return replace(record, state=states.FAILED, exit_code=code, reason=_last_words(cell.folder / states.LOG, code))
    why = f"ended after {cell.timeout:g} s" if state == states.TIMEOUT else ""
    return replace(record, state=state, exit_code=code, reason=why)


def _last_words(log: Path, code: int) -> str:
    """The exit code, and the last words of the log."""
    with log.open("rb") as file:
        file.seek(max(log.stat().st_size - 2_000, 0))
        said = [line.strip() for line in file.read().decode(errors="replace").splitlines() if line.strip()]
    return f"exit code {code}: {printable(said[-1], MAX_REASON)}" if said else f"exit code {code}"


def _finished(cell: Cell, record: Record) -> Record:
    """The record with the times, and with what the scaffold recorded: a run that never called a model has failed."""
    found = recorded(cell.folder)
    ended = time.time()
    record = replace(
        record,
        ended=ended,
        seconds=round(ended - record.started, 1),
        cost=found.cost,
        calls=found.calls,
        fallbacks=found.fallbacks,
    )
    if record.state == states.DONE and not found.calls:
        return replace(record, state=states.FAILED, reason=f"no call of a model is recorded; see {states.LOG}")
    return record


def environment(cell: Cell, inherited: Mapping[str, str]) -> dict[str, str]:
    """The variables of the cell's process: the inherited ones, the scaffold's own, and the key where litellm looks.

    Raises ConfigError where the key is not there.
    """
    variables = {**inherited, **cell.settings.environment}
    if path := variables.get("PYTHONPATH"):
        variables["PYTHONPATH"] = os.pathsep.join(str(Path(part).absolute()) for part in path.split(os.pathsep) if part)
    if cell.model.key:
        if cell.model.key not in inherited:
            raise ConfigError(f"the environment variable {cell.model.key} is not set")
        provider = cell.model.name.partition("/")[0] if "/" in cell.model.name else "openai"
        variables[f"{provider.upper()}_API_KEY"] = inherited[cell.model.key]
    return {**variables, "MSWEA_CONFIGURED": "true", "MSWEA_SILENT_STARTUP": "1", "OPENHANDS_SUPPRESS_BANNER": "1"}
