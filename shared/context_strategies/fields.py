"""Fields of recorded JSON, checked as they are taken: a wrong one is a ``ValueError`` that names its place."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any, TypeGuard

MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What Python raises on content of another shape than expected."""

MAX_NUMBER = 10**15
MAX_REASON = 200
MAX_LINE = 1_000

EVENT_FOLDERS = frozenset({"events", "event_service"})
"""How scaffolds call the folders of every run alike."""


@contextmanager
def at(place: str) -> Iterator[None]:
    """Name ``place`` in whatever malformed content raises inside."""
    try:
        yield
    except MALFORMED as error:
        raise ValueError(f"{place}: {reason(error)}") from error


def reason(error: BaseException) -> str:
    """An exception in one short line."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, MemoryError):
        return "too large for the memory here"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    said = " ".join(str(error).split())
    told = f"no {said}" if isinstance(error, KeyError) else said or type(error).__name__
    return printable(told, MAX_REASON)


def printable(text: str, length: int = MAX_LINE) -> str:
    """``text`` as one line that does nothing to a terminal: control characters escaped, cut above ``length``.

    A text that has been through it comes back as it is.
    """
    escaped = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[: length + 1])
    return escaped if len(escaped) <= length else f"{escaped[: length - 1]}…"


def mapping(value: object, place: str) -> Mapping[str, Any]:
    """``value``, an object."""
    if isinstance(value, dict):
        return value
    raise ValueError(f"{place} is {_kind(value)}, not an object")


def sequence(value: object, place: str) -> Sequence[Any]:
    """``value``, a list."""
    if isinstance(value, list):
        return value
    raise ValueError(f"{place} is {_kind(value)}, not a list")


def items(value: object, place: str) -> list[Mapping[str, Any]]:
    """``value``, a list of objects."""
    return [mapping(item, f"{place}[{index}]") for index, item in enumerate(sequence(value, place))]


def section(record: object, *names: str) -> Mapping[str, Any]:
    """The object at ``record[name][name]...``, empty where there is none."""
    for name in names:
        record = record.get(name) if isinstance(record, dict) else None
    return record if isinstance(record, dict) else {}


def text(value: object) -> str:
    """``value`` if it is text, otherwise nothing."""
    return value if isinstance(value, str) else ""


def tokens(value: object) -> int:
    """A recorded number of tokens or calls; 0 where it is absent or no number."""
    return int(value) if _is_number(value) else 0


def dollars(value: object) -> float | None:
    """A recorded cost in US dollars; None where it is absent, zero (which is how unknown is written) or no number."""
    return (float(value) or None) if _is_number(value) else None


def count(number: int, noun: str) -> str:
    """``1 step``, ``2 steps``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def stem(source: str) -> str:
    """The name of a run that has no id of its own: its file's or folder's, without what tells the format.

    Of a folder of events it is the name of the folder that holds it.

    >>> stem("runs/astropy-1.traj.json")
    'astropy-1'
    """
    path = PurePath(source)
    while path.name in EVENT_FOLDERS and path.parent.name:
        path = path.parent
    return re.sub(r"\.(traj|jsonl?)\b", "", path.name)


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < MAX_NUMBER


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "missing"}
    return names.get(type(value), "a number")
