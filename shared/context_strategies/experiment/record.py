"""``cell.json``: what is known of a cell, written whole or not at all, and who is at work on it."""

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Self

from context_strategies.experiment.cells import Cell

FILE, LOCK, LOG = "cell.json", "cell.lock", "log.txt"
RUNNING, DONE, FAILED, TIMEOUT, STOPPED, BUSY = "running", "done", "failed", "timeout", "stopped", "busy"


@dataclass(frozen=True, slots=True)
class Record:
    """A cell's state and what it took.

    ``state``: running (or broken off), done, failed, timeout, stopped; busy where another process is at it. ``setting``
    tells what it was run with. ``cost`` is in US dollars, None where nothing tells it; ``earlier`` what attempts before
    this one cost. ``fallbacks`` counts failures of the strategy or its summarizer that were made up for. ``started``
    and ``ended`` are seconds of the clock, ``seconds`` what lies between. ``reason`` is why it failed, in one line.
    """

    label: str
    instance: str
    state: str
    setting: str
    command: tuple[str, ...] = ()
    exit_code: int | None = None
    cost: float | None = None
    earlier: float = 0.0
    calls: int = 0
    fallbacks: int = 0
    started: float = 0.0
    ended: float = 0.0
    seconds: float = 0.0
    reason: str = ""

    @classmethod
    def read(cls, cell: Cell) -> Self | None:
        """The record in ``cell``'s folder, whichever version wrote it; None where there is none that can be read."""
        try:
            content = json.loads((cell.folder / FILE).read_text(encoding="utf-8"))
            record = cls(**{field.name: content[field.name] for field in fields(cls) if field.name in content})
            return replace(record, command=tuple(record.command))
        except (OSError, ValueError, TypeError, LookupError):
            return None

    def write(self, folder: Path) -> None:
        """Put it in the place of the one before, whole: a crash leaves either."""
        new = folder / f".{FILE}.new"
        with new.open("w", encoding="utf-8") as file:
            json.dump(asdict(self), file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        new.replace(folder / FILE)

    @property
    def spent(self) -> float:
        """US dollars of this and earlier attempts, as far as they are known."""
        return (self.cost or 0.0) + self.earlier


def is_finished(cell: Cell, record: Record | None) -> bool:
    """Whether ``cell`` is done, as it is set now."""
    return record is not None and record.state == DONE and record.setting == cell.setting


@contextmanager
def claimed(cell: Cell) -> Iterator[bool]:
    """Whether this process is the only one at ``cell``, while the block lasts; the claim ends with the process."""
    cell.folder.mkdir(parents=True, exist_ok=True)
    with (cell.folder / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def clear(folder: Path) -> None:
    """Remove what an earlier attempt left, but for the record and the claim."""
    for path in folder.iterdir():
        if path.name in {FILE, LOCK}:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
