"""What came of each source, in a file of JSON Lines: found again by a key of all that it depends on."""

import json
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import asdict
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from context_strategies.compare.engine import Engine
from context_strategies.compare.recorded import Recorded
from context_strategies.compare.run_rows import RunRow
from context_strategies.compare.work import Plan, Replayed
from context_strategies.compare.writing import writing
from context_strategies.errors import ConfigError
from context_strategies.fields import MALFORMED
from context_strategies.trajectories import Refusal, Source
from context_strategies.version import built

try:
    import fcntl
except ImportError:  # Windows, which lets no one replace a file that another process has open
    fcntl = None  # type: ignore[assignment]  # what a missing module is


class Store:
    """A file of results, a line a source; memory holds where each line begins.

    ``path`` is read and appended to, or begun anew if it is to be ``fresh``; ConfigError where it holds anything else,
    can't be written, or is another process's until that has done with it. None: a file without a name, which ends with
    the store.
    """

    def __init__(self, path: Path | None = None, *, fresh: bool = False) -> None:
        self.path = path
        self._places: dict[str, int] = {}
        self._tidy = not fresh
        with self._writing():
            self._file = self._opened()
            if fresh:
                self.tidy(())
            else:
                self._read()

    def _opened(self) -> IO[bytes]:
        return TemporaryFile() if self.path is None else _claimed(self.path)

    def _read(self) -> None:
        place = 0
        for number, line in enumerate(self._file, 1):
            if not line.endswith(b"\n"):
                self._file.truncate(place)  # the end of what was interrupted
                break
            try:
                key, done = _decoded(line)
            except MALFORMED:
                self._file.close()
                raise ConfigError(
                    f"{self.path}: line {number} is none of this command's: choose another --out, or --fresh to "
                    "replace it"
                ) from None
            self._tidy &= not done.failed and key not in self._places
            if not done.failed:
                self._places[key] = place
            place += len(line)

    def _writing(self) -> AbstractContextManager[None]:
        return writing(self.path or Path("a temporary file"))

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def __getitem__(self, key: str) -> Replayed:
        return _decoded(self._line(key))[1]

    def _line(self, key: str) -> bytes:
        self._file.seek(self._places[key])
        return self._file.readline()

    def add(self, key: str, done: Replayed) -> None:
        """Append what came of a source, for whoever reads the file from now on."""
        with self._writing():
            place = self._file.seek(0, os.SEEK_END)
            self._file.write(_encoded(key, done))
            self._file.flush()
        self._places[key] = place

    def rows(self, market: str) -> Iterator[RunRow]:
        """Every row of a market, in the order of the lines."""
        for key in self._places:
            yield from (row for row in self[key].rows if row.market == market)

    def tidy(self, keys: Iterable[str]) -> None:
        """Leave the lines of ``keys``, in this order, and no others."""
        wanted = [key for key in keys if key in self]
        if self.path is None or (self._tidy and wanted == list(self._places)):
            return
        places = {}
        with self._writing():
            new = _claimed(self.path.with_suffix(".new"))
            new.truncate()
            for key in wanted:
                places[key] = new.tell()
                new.write(self._line(key))
            new.flush()
            self.path.with_suffix(".new").replace(self.path)
            self._file.close()
        self._file, self._places, self._tidy = new, places, True

    def release(self) -> None:
        """Let other processes at the file. What is in it can still be read; nothing may be added."""
        if fcntl is not None:
            fcntl.flock(self._file, fcntl.LOCK_UN)


def _claimed(path: Path) -> IO[bytes]:
    """The file at ``path``, this process's alone as long as it is open; ConfigError where another has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("a+b")
    file.seek(0)
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        ours = os.path.samestat(os.fstat(file.fileno()), path.stat())  # not so once its owner has replaced it
    except (BlockingIOError, FileNotFoundError):
        ours = False
    if not ours:
        file.close()
        raise ConfigError(f"{path}: another process is at it")
    return file


def _encoded(key: str, done: Replayed) -> bytes:
    line = {
        "key": key,
        "failed": done.failed,
        "runs": [asdict(row) for row in done.rows],
        "recorded": [asdict(check) for check in done.checks],
        "refused": [asdict(refusal) for refusal in done.refusals],
    }
    return json.dumps(line).encode() + b"\n"


def _decoded(line: bytes) -> tuple[str, Replayed]:
    value = json.loads(line)
    done = Replayed(
        rows=[RunRow(**{**row, "lost": tuple(row["lost"])}) for row in value["runs"]],
        checks=[Recorded(**check) for check in value["recorded"]],
        refusals=[Refusal(**refusal) for refusal in value["refused"]],
        failed=value["failed"],
    )
    return value["key"], done


def replayed(
    plan: Plan, sources: Sequence[Source | Refusal], engine: Engine, store: Store | None, say: Callable[[str], None]
) -> Generator[Replayed, None, None]:
    """What comes of ``sources``, in their order: out of ``store`` where it is there, which is said, else by ``engine``,
    and then put there. Raises ConfigError.
    """
    keys = list(keys_of(plan, sources)) if store else [""] * len(sources)
    known = {key for key in keys if store and key in store}
    if store and known:
        say(f"{store.path}: {len(known)} of {len(sources)} files and folders were done before; --fresh does them again")
    keyed = list(zip(sources, keys, strict=True))
    todo = [source for source, key in keyed if isinstance(source, Source) and key not in known]
    with closing(engine(plan, todo)) as fresh:
        for source, key in keyed:
            if isinstance(source, Refusal):
                yield Replayed(refusals=[source])
            elif store and key in known:
                yield store[key]
            else:
                done = next(fresh)
                if store and done.rows:
                    store.add(key, done)
                yield done
    if store:
        store.tidy(keys)


def keys_of(plan: Plan, sources: Iterable[Source | Refusal]) -> Iterator[str]:
    """A key for each of ``sources``; the same one means the same results.

    It is made of the names, sizes and times of a source's files, of the plan, and of the versions of this package and
    of litellm, whose prices the plan may use. The code of someone else's strategy is not in it.
    """
    try:
        prices = version("litellm")
    except PackageNotFoundError:
        prices = ""
    asked = _digest(plan, built(), prices)
    for source in sources:
        yield _digest(asked, source, _stamps(source))


def _digest(*values: object) -> str:
    return sha256(repr(values).encode("utf-8", "surrogatepass")).hexdigest()


def _stamps(source: Source | Refusal) -> list[tuple[int, int]]:
    """Sizes and times of its files; none where there are none, which is refused."""
    if isinstance(source, Refusal):
        return []
    try:
        stats = [path.stat() for path in source.parts or (source.path,)]
    except OSError:
        return []
    return [(stat.st_size, stat.st_mtime_ns) for stat in stats]
