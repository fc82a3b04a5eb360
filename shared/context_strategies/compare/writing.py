"""Files that commands write: one that can't be written is a ``ConfigError`` that names it; and names that differ."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from context_strategies.errors import ConfigError
from context_strategies.fields import reason


def write(path: Path, text: str) -> None:
    """Write ``text``, and the folder if there is none."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Whatever goes wrong inside is said to be of ``path``."""
    try:
        yield
    except OSError as error:
        raise ConfigError(f"{path}: can't be written: {reason(error)}") from error


def another(name: str, taken: dict[str, int], sign: str) -> str:
    """``name``, with ``sign`` and a number behind it where it is ``taken``, as the result is from now on."""
    free = name
    while free in taken:
        taken[name] += 1
        free = f"{name}{sign}{taken[name]}"
    taken[free] = 1
    return free
