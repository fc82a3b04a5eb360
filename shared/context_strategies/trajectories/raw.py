"""JSON from disk: bounded, with the faster parser where it is installed, and a refusal for whatever is no JSON."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from context_strategies.fields import reason
from context_strategies.trajectories.model import Refusal

try:
    import orjson
except ImportError:
    fast_loads: Callable[[bytes], Any] = json.loads
else:
    fast_loads = orjson.loads

MAX_BYTES = 512 * 2**20
"""Largest document, or line of a .jsonl file, that is read: parsed, it takes several times as much memory."""


def parse_file(path: Path, limit: int = MAX_BYTES) -> Any:
    """The document in ``path``, or a :class:`Refusal` that says why it can't be had."""
    try:
        size = path.stat().st_size
        if size > limit:
            return Refusal(str(path), _too_large(size, limit))
        content = path.read_bytes()
    except (MemoryError, OSError) as error:
        return Refusal(str(path), reason(error))
    return _parse(content, str(path))


def parse_lines(path: Path, limit: int = MAX_BYTES) -> Iterator[tuple[str, Any]]:
    """The lines of ``path`` that are not blank, as (``line 1``, parsed JSON), or a :class:`Refusal` in its place."""
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(limit + 1):
                number += 1
                if len(line) > limit:
                    yield f"line {number}", Refusal(str(path), _too_large(len(line) + _skip_line(file, line), limit))
                elif line.strip():
                    yield f"line {number}", _parse(line, str(path))
    except OSError as error:
        yield "", Refusal(str(path), reason(error))


def _skip_line(file: Any, line: bytes) -> int:
    """Read to the end of a line that began with ``line``; returns how many bytes that was."""
    size = 0
    while line and not line.endswith(b"\n"):
        line = file.readline(2**20)
        size += len(line)
    return size


def _parse(content: bytes, source: str) -> Any:
    if not content.strip():
        return Refusal(source, "empty")
    try:
        try:
            return fast_loads(content)
        except ValueError:
            return json.loads(content)  # takes NaN and lone surrogates, too
    except (MemoryError, RecursionError) as error:
        return Refusal(source, reason(error))
    except ValueError as error:
        return Refusal(source, f"no JSON: {reason(error)}")


def _too_large(size: int, limit: int) -> str:
    return f"{size:,} bytes; at most {limit:,} are read"
