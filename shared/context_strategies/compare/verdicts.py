"""Which instances were solved, as the benchmarks' own reports say, and how runs ended that left no recording.

Reports are known by their content: those of SWE-bench and of OpenHands (``resolved_ids``), SWE-agent's older
``results.json`` (``resolved``), one instance's ``report.json``, ``{"resolved": {"instance": true}}`` of a user's own,
and the lines of OpenHands' ``output.jsonl``. Predictions (``preds.json``) tell only that an empty patch solved nothing.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path, PurePath
from typing import Any

import yaml

from context_strategies.fields import MALFORMED, printable, section, text
from context_strategies.trajectories.raw import parse_file, parse_lines

SOLVED = ("resolved_ids", "resolved")
UNJUDGED = ("incomplete_ids", "pending_ids")
"""Lists of a report whose instances it says nothing of: they were not run, or not yet evaluated."""
NO_INSTANCES = frozenset({"unremoved_images", "unstopped_containers"})
STATUSES = "*exit_statuses*.yaml"
MAX_YAML = 4 * 2**20


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What one file says: ``solved`` by instance, None for those it only names; ``complete`` if instances that it does
    not name were not solved either, since it lists no others than the solved.
    """

    path: str
    solved: Mapping[str, bool | None]
    complete: bool = False

    def __post_init__(self) -> None:
        named = {printable(instance): solved for instance, solved in self.solved.items()}  # as recordings name theirs
        object.__setattr__(self, "solved", named)

    def of(self, instance: str) -> bool | None:
        """The verdict on ``instance``, None where there is none."""
        found = self.solved.get(instance)
        return False if found is None and self.complete else found


def verdicts_in(path: Path) -> Verdicts | None:
    """The verdicts of a JSON or JSON Lines file, None where it is no report."""
    if path.suffix == ".jsonl":
        lines = [found for _, value in parse_lines(path) if (found := _of_line(value))]
        return Verdicts(str(path), dict(lines)) if lines else None
    return _of_document(parse_file(path), path)


def _of_line(value: object) -> tuple[str, bool | None] | None:
    """An evaluated run of OpenHands, or a prediction."""
    line = section(value)
    instance = text(line.get("instance_id"))
    if not instance:
        return None
    places = (section(line, "report"), section(line, "test_result", "report"), section(line, "test_result"), line)
    verdict = next((place["resolved"] for place in places if isinstance(place.get("resolved"), bool)), None)
    if verdict is None and "model_patch" in line:
        return instance, None if line["model_patch"] else False
    return None if verdict is None else (instance, verdict)


def _of_document(value: Any, path: Path) -> Verdicts | None:
    if isinstance(value, list):
        return _of_lines(map(_of_line, value), path)
    report = section(value)
    listed = next((report[name] for name in SOLVED if isinstance(report.get(name), list)), None)
    if listed is not None:
        return _of_report(report, listed, path)
    if isinstance(report.get("resolved"), bool):
        return Verdicts(str(path), {text(report.get("instance_id")) or path.parent.name: report["resolved"]})
    own = section(report, "resolved")
    if own and all(isinstance(one, bool) for one in own.values()):
        return Verdicts(str(path), own)
    return _of_lines((_of_line({"instance_id": name, **section(one)}) for name, one in report.items()), path)


def _of_lines(found: Iterable[tuple[str, bool | None] | None], path: Path) -> Verdicts | None:
    """The verdicts of a document all of whose entries are some."""
    lines = list(found)
    told = [line for line in lines if line]
    return Verdicts(str(path), dict(told)) if told and len(told) == len(lines) else None


def _of_report(report: Mapping[str, Any], listed: Iterable[object], path: Path) -> Verdicts:
    """A report in lists of instances: any other list than that of the solved names unsolved ones."""
    lists = {name: one for name, one in report.items() if name not in NO_INSTANCES and isinstance(one, list)}
    unjudged = {text(one) for name in UNJUDGED for one in lists.pop(name, ())}
    named = [text(one) for name, other in lists.items() if name not in SOLVED for one in other]
    solved: dict[str, bool | None] = {one: False for one in named if one and one not in unjudged}
    solved.update({text(one): True for one in listed if text(one)})
    return Verdicts(str(path), solved, complete=not named and not unjudged)


def verdict(found: Iterable[Verdicts], instance: str, run: str = "") -> bool | None:
    """What ``found`` says of ``instance``: the report that lies nearest to ``run``, since the folders of several
    attempts have one each; None where none does.
    """
    told = [one for one in found if one.of(instance) is not None]
    return max(told, key=lambda one: _shared(one.path, run)).of(instance) if told else None


def _shared(report: str, run: str) -> int:
    """How many folders from the root on both paths have in common."""
    pairs = zip(PurePath(report).parent.parts, PurePath(run).parts, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def beside(path: Path) -> Iterator[Path]:
    """Reports next to ``path`` that are named after it, as evaluations leave them: ``model.FOLDER.json`` of a folder,
    ``output.report.json`` of ``output.jsonl``.
    """
    path = path.resolve()
    name = path.name if path.is_dir() else path.name.split(".")[0]
    for other in sorted([*path.parent.glob("*.json"), *path.parent.glob("*.jsonl")]):
        after = f".{name}." in f".{other.name.replace('__', '.')}" or (other.name == "report.json" and path.is_file())
        if after and other != path:
            yield other


def statuses_in(folder: Path) -> dict[str, str]:
    """How each instance ended, as SWE-agent and mini-swe-agent list it over a whole batch."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob(STATUSES)):
        for status, instances in section(_yaml(path), "instances_by_exit_status").items():
            listed = instances if isinstance(instances, list) else ()
            found.update(dict.fromkeys((printable(str(instance)) for instance in listed), str(status)))
    return found


def _yaml(path: Path) -> object:
    """The document in ``path``, nothing where there is none to be had: a status is worth no error."""
    try:
        return yaml.safe_load(path.read_bytes()) if path.stat().st_size < MAX_YAML else None
    except (OSError, yaml.YAMLError, *MALFORMED):
        return None
