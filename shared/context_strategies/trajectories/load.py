"""From files and folders to trajectories: what is a recording, who reads it, and what could not be read.

A format is a module of plain functions. It knows its recordings by their content, never by a name:

    NAME: str                                                     how tables and messages call the format
    def claims(value: object) -> bool                             is this document, or line of a .jsonl, one of ours?
    def parse(value: Any, source: str) -> Iterator[Trajectory]    of a document that ``claims`` accepted

A format whose runs are spread over many files (events, or one completion each) has, besides or instead:

    def claims_part(value: object) -> bool
    def parse_parts(values: Iterable[tuple[str, Any]], source: str) -> Iterator[Trajectory]

``parse_parts`` gets every file of a folder that ``claims_part`` accepts, as (file name, parsed JSON), one at a time
and in natural order of the names (``9.json`` before ``10.json``). A ``base_state.json`` beside a folder ``events``
comes first, and the source is then the folder that holds both. A .jsonl whose first line is a part is such a run too,
its names being ``line 1`` and so on. A top-level list is a document. The source of a line of any other .jsonl is
``path:number``.

``claims`` and ``claims_part`` see anything, and do not raise. ``parse`` and ``parse_parts`` may raise whatever
malformed content makes Python raise (:data:`~context_strategies.fields.MALFORMED`; best a ``ValueError``
that names the place), which becomes a :class:`Refusal` of that source alone.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

from context_strategies.fields import MALFORMED, reason
from context_strategies.trajectories import atif, completions, mini, openhands_v0, openhands_v1, sweagent
from context_strategies.trajectories.folders import Source, find_sources
from context_strategies.trajectories.model import Refusal, Trajectory
from context_strategies.trajectories.raw import parse_file, parse_lines

Result = Trajectory | Refusal

FORMATS: tuple[ModuleType, ...] = (sweagent, mini, openhands_v0, openhands_v1, completions, atif)
"""Asked in this order."""


def find(paths: Iterable[Path]) -> list[Source | Refusal]:
    """What there is to read under ``paths``, and what of it is none: as many as ``load`` is to be called for.

    Reads the first files of each folder, to tell the files of one run from runs of one file each.
    """
    return list(find_sources(paths, lambda value: _format("claims_part", value) is not None))


def load(source: Source | Refusal) -> Iterator[Result]:
    """The trajectories of one source, and a refusal for all in it that could not be read."""
    if isinstance(source, Refusal):
        yield source
    elif source.parts:
        yield from _load_parts(((part.name, parse_file(part)) for part in source.parts), str(source.path))
    elif source.path.suffix == ".jsonl":
        yield from _load_lines(source.path)
    else:
        yield from _load_document(parse_file(source.path), str(source.path))


def read(paths: Iterable[Path]) -> Iterator[Result]:
    """Everything recorded under ``paths``: files, and folders with all that is in them, in natural order of names."""
    for source in find(paths):
        yield from load(source)


def _load_document(value: Any, source: str) -> Iterator[Result]:
    form = _format("claims", value)
    if form is None:
        yield Refusal(source, _why(value))
    else:
        yield from _guarded(form, form.parse(value, source), source)


def _load_lines(path: Path) -> Iterator[Result]:
    """A .jsonl: the parts of one run, or a run a line."""
    lines = parse_lines(path)
    head: list[tuple[str, Any]] = []
    for name, value in lines:
        head.append((name, value))
        if not isinstance(value, Refusal):
            break
    else:
        yield from _summed([(name, _why(value)) for name, value in head] or [("", "empty")], str(path))
        return
    everything = chain(head, lines)
    if _format("claims_part", head[-1][1]):
        yield from _load_parts(everything, str(path))
        return
    refused: list[tuple[str, str]] = []
    for name, value in everything:
        for result in _load_document(value, f"{path}:{name.removeprefix('line ')}"):
            if isinstance(result, Refusal):
                refused.append((name, result.reason))
            else:
                yield result
    yield from _summed(refused, str(path))


def _load_parts(values: Iterator[tuple[str, Any]], source: str) -> Iterator[Result]:
    """The runs of a folder, as the format of its first part that has one reads them."""
    refused: list[tuple[str, str]] = []
    for name, value in values:
        form = _format("claims_part", value)
        if form:
            own = _own_parts(form, chain([(name, value)], values), refused)
            yield from _guarded(form, form.parse_parts(own, source), source)
        else:
            refused.append((name, _why(value)))
    yield from _summed(refused, source)


def _own_parts(
    form: ModuleType, values: Iterable[tuple[str, Any]], refused: list[tuple[str, str]]
) -> Iterator[tuple[str, Any]]:
    for name, value in values:
        if form.claims_part(value):
            yield name, value
        else:
            refused.append((name, _why(value)))


def _guarded(form: ModuleType, results: Iterator[Trajectory], source: str) -> Iterator[Result]:
    try:
        yield from results
    except (MemoryError, *MALFORMED) as error:
        yield Refusal(source, f"malformed {form.NAME}: {reason(error)}")


def _format(question: str, value: object) -> ModuleType | None:
    """The format that answers ``question`` (``claims`` or ``claims_part``) with yes."""
    return next((form for form in FORMATS if hasattr(form, question) and getattr(form, question)(value)), None)


def _why(value: object) -> str:
    if isinstance(value, Refusal):
        return value.reason
    part_of = _format("claims_part", value)
    if part_of:
        return f"one part of a run ({part_of.NAME}): name its folder instead"
    return f"no known format; known are: {', '.join(form.NAME for form in FORMATS)}"


def _summed(refused: Iterable[tuple[str, str]], source: str) -> Iterator[Refusal]:
    """One refusal for each reason that parts (name, reason) of a source have been refused for, naming the first."""
    names: dict[str, list[str]] = {}
    for name, why in refused:
        names.setdefault(why, []).append(name)
    for why, those in names.items():
        others = f" and {len(those) - 1:,} more" if len(those) > 1 else ""
        yield Refusal(source, f"{those[0]}{others}: {why}" if those[0] else why)
