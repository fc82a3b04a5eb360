"""Which files under a folder are recordings, and which of them make up one run."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from context_strategies.events import holds_events
from context_strategies.fields import reason
from context_strategies.trajectories.model import Refusal
from context_strategies.trajectories.raw import parse_file

SUFFIXES = frozenset({".json", ".jsonl", ".traj"})

CELL = "cell.json"
"""What an experiment writes beside a run: no recording."""

PEEKED_FILES = 3
PEEKED_BYTES = 16 * 2**20
"""How much of a folder is looked at to tell whether its files are the parts of a run."""


@dataclass(frozen=True, slots=True)
class Source:
    """One thing to read: a file, or a folder and the files (``parts``) that make up a run."""

    path: Path
    parts: tuple[Path, ...] = ()


def find_sources(paths: Iterable[Path], is_part: Callable[[object], bool]) -> Iterator[Source | Refusal]:
    """The sources under ``paths``, each once. ``is_part`` tells whether a parsed file is one of the many of a run.

    A file that is named is taken whatever its suffix; in a folder only .json, .jsonl and .traj are. Links to folders
    are not followed.
    """
    seen: set[str] = set()
    for path in paths:
        for source in _under(path, is_part):
            place = os.path.realpath(source.path) if isinstance(source, Source) else ""
            if place not in seen:
                yield source
            if place:
                seen.add(place)


def _under(path: Path, is_part: Callable[[object], bool]) -> Iterator[Source | Refusal]:
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        yield Refusal(str(path), reason(error))
        return
    if S_ISDIR(mode):
        yield from _in_folder(path, is_part)
    else:
        yield Source(path) if S_ISREG(mode) else Refusal(str(path), "neither a file nor a folder")


def _in_folder(root: Path, is_part: Callable[[object], bool]) -> Iterator[Source | Refusal]:
    unreadable: list[OSError] = []
    empty = True
    for name, folders, names in os.walk(root, onerror=unreadable.append):
        folder = Path(name)
        if "events" in folders:
            folders[:] = [other for other in folders if other != "event_cache"]  # the same events once more
        folders.sort(key=_natural)
        files = [folder / file for file in sorted(names, key=_natural) if Path(file).suffix in SUFFIXES]
        files = [file for file in files if _may_be_file(file) and not (_is_base(file) or _is_ours(file))]
        for source in _sources(folder, files, is_part):
            empty = False
            yield source
    for error in unreadable:
        yield Refusal(str(error.filename), error.strerror or "unreadable")
    if empty and not unreadable:
        yield Refusal(str(root), "no recording in this folder: no .traj, .json or .jsonl file")


def _may_be_file(path: Path) -> bool:
    """Whether ``path`` is worth reading; where that can't be told, reading it says why."""
    try:
        return path.is_file()
    except OSError:
        return True


def _is_base(file: Path) -> bool:
    """Whether ``file`` belongs to the run whose events are in the folder beside it."""
    return file.name == "base_state.json" and any((file.parent / "events").glob("*.json"))


def _is_ours(file: Path) -> bool:
    """Whether ``file`` is what a plugin or an experiment wrote about a run."""
    return holds_events(file) or file.name == CELL


def _sources(folder: Path, files: list[Path], is_part: Callable[[object], bool]) -> Iterator[Source]:
    """The files of one folder: one source where they are the parts of a run, a source each otherwise."""
    parts = [file for file in files if file.suffix == ".json"]
    if not any(is_part(parse_file(file, PEEKED_BYTES)) for file in parts[:PEEKED_FILES]):
        yield from map(Source, files)
        return
    base = folder.parent / "base_state.json"
    if folder.name == "events" and base.is_file():
        yield Source(folder.parent, (base, *parts))
    else:
        yield Source(folder, tuple(parts))
    yield from (Source(file) for file in files if file.suffix != ".json")


def _natural(name: str) -> list[tuple[bool, int, str]]:
    """A key that puts ``9.json`` before ``10.json``."""
    return [(not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in re.split(r"(\d+)", name)]
