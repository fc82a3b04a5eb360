"""What may happen to a file, or be done to it: changes to the structure of its JSON, and to its bytes."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

Draw = Callable[[st.SearchStrategy[Any]], Any]

DEEP = "\u2021deep\u2021"
"""Stands for 100,000 nested lists, which no JSON encoder would write."""


def nested(depth: int) -> Any:
    """Lists in objects in lists, as deep as a parser may still take."""
    value: Any = "x"
    for _ in range(depth // 2):
        value = [{"content": value}]
    return value


ODD: list[Any] = [
    *(None, True, False, 0, -1, 0.5, 99, 10**14, 2**63, 10**30, -(10**400), 1e308, float("nan"), float("inf")),
    *("", "\0", "\ud800", "a\nb\x1b[31m\r\u2028c", "x" * 50_000, "../../etc/passwd", "9" * 5_000, DEEP),
    *([], {}, [[]], [None], {"": None}, {"text": 1}, [{"type": "image"}], {"kind": "summary"}),
    *(nested(100), nested(600), nested(900)),
]
DEEPEST = 12
"""How far inside a document changes are made: no valid one is deeper."""

BYTES = [b"\0", b"\xff\xfe", b"\n", b'"', b"{", b"]", b",", b"\\u0000", b"\\ud800", b"1e999", b"NaN", b"[" * 100_000]


def _places(value: Any, kind: tuple[Any, ...] = (), path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, Any]]:
    """Every place inside ``value``: what kind of place it is (its keys, whatever the position in a list), and the way
    to it.
    """
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        deeper = (*kind, "*" if isinstance(value, list) else key)
        yield deeper, (*path, key)
        if len(path) < DEEPEST:
            yield from _places(inner, deeper, (*path, key))


def _path(draw: Draw, value: Any) -> tuple[Any, ...]:
    """The way to some place inside ``value``, each kind of place equally likely."""
    kinds: dict[Any, list[Any]] = {}
    for kind, path in _places(value):
        kinds.setdefault(kind, []).append(path)
    if not kinds:
        return ()
    paths = list(kinds.values())[draw(st.integers(0, len(kinds) - 1))]
    return tuple(paths[draw(st.integers(0, len(paths) - 1))])


def _inside(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def _odd(draw: Draw, old: Any) -> Any:
    """Something else, often of the same type."""
    alike = [one for one in ODD if isinstance(one, int | float) and isinstance(old, int | float)]
    return deepcopy(draw(st.sampled_from(alike if alike and draw(st.booleans()) else ODD)))


def _change(draw: Draw, root: Any, other: Any) -> None:
    """One change somewhere inside ``root``, perhaps to what stands somewhere inside ``other``."""
    path = _path(draw, root)
    if not path:
        return
    holder, key = _inside(root, path[:-1]), path[-1]
    change = draw(st.sampled_from(["odd", "odd", "other", "drop", "double", "wrap", "rename"]))
    if change == "odd":
        holder[key] = _odd(draw, holder[key])
    elif change == "other":
        holder[key] = deepcopy(_inside(other, _path(draw, other)))
    elif change == "wrap":
        holder[key] = draw(st.sampled_from([[holder[key]], {"content": holder[key]}]))
    elif change == "drop":
        del holder[key]
    elif change == "double" and isinstance(holder, list):
        holder.insert(key, deepcopy(holder[key]))
    elif isinstance(holder, dict):
        holder[draw(st.sampled_from(["content", "id", "role", "steps", "messages", "events", ""]))] = holder.pop(key)


def _structure(draw: Draw, content: bytes, other: bytes) -> bytes:
    try:
        lines = [json.loads(line) for line in content.splitlines()]
        spare = [json.loads(line) for line in other.splitlines()]
    except (RecursionError, ValueError):
        return content  # bytes were changed before
    for _ in range(draw(st.integers(1, 3))):
        _change(draw, lines, spare)
    written = "\n".join(json.dumps(line) for line in lines)
    return written.replace(json.dumps(DEEP), "[" * 100_000 + "]" * 100_000).encode()


def _bytes(draw: Draw, content: bytes) -> bytes:
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        stop = min(len(content), start + draw(st.integers(0, 40)))
        change = draw(st.sampled_from(["put", "cut", "again", "end", "flip"]))
        if change == "put":
            content = content[:start] + draw(st.sampled_from(BYTES)) + content[stop:]
        elif change == "cut":
            content = content[:start] + content[stop:]
        elif change == "again":
            content = content[:stop] + content[start:]
        elif change == "end":
            content = content[:start]
        elif start < len(content):
            content = content[:start] + bytes([content[start] ^ draw(st.integers(1, 255))]) + content[start + 1 :]
    return content


@st.composite
def damaged(draw: Draw, folders: list[dict[str, bytes]]) -> dict[str, bytes]:
    """One of ``folders`` with one or two of its files changed, little, so that much of it still makes sense."""
    folder = dict(draw(st.sampled_from(folders)))
    for _ in range(draw(st.integers(1, 2))):
        name = draw(st.sampled_from(sorted(folder)))
        if draw(st.integers(0, 7)):
            other = draw(st.sampled_from(folders))
            folder[name] = _structure(draw, folder[name], other[draw(st.sampled_from(sorted(other)))])
        else:
            folder[name] = _bytes(draw, folder[name])
    return folder
