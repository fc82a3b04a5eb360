"""What cells are made of: runs in folders of their own, the same run undisturbed, and what did not hold."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from context_strategies.testing import Step, run
from faults.job import Job, Run, Scaffold, observe

ROOT = Path(__file__).resolve().parents[2]

HYBRID: Mapping[str, Any] = {"type": "hybrid", "window": 1, "every": 3, "refresh": 1}
"""Masks every turn, and has turns 1 to 3, then 1 to 6, summarized in a run of :data:`STEPS`."""

STEPS = 7
"""Commands of a run; one more request ends it."""

SECONDS = 300
"""What a run in a process of its own may take."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A cell: what was seen, in a phrase, and which promises were broken, each with what happened instead."""

    seen: str
    broken: tuple[str, ...] = ()


@dataclass(slots=True)
class Bench:
    """Runs of the scaffold called ``key``, in folders under ``folder``."""

    key: str
    scaffold: Scaffold
    folder: Path
    _made: int = 0
    _known: dict[str, Run] = field(default_factory=dict)

    def job(self, strategy: Mapping[str, Any] | None = None, **changes: Any) -> Job:
        """A job in a new folder."""
        self._made += 1
        folder = self.folder / f"{self._made:03}"  # of one length, since a cell may compare sizes
        folder.mkdir(parents=True)
        return Job(str(folder), strategy, **changes)

    def command(self, text: str, thought: str = "") -> Step:
        """A step that runs a shell command."""
        return run(self.scaffold.before + text, thought)

    def shows(self, steps: int = STEPS, word: str = "value", lines: int = 40) -> list[Step]:
        """Steps that print lines of some 30 characters."""
        return [
            self.command(f"seq -f '{n}:%g {word} = compute(item)' 1 {lines}", f"I look at {n}.")
            for n in range(1, steps + 1)
        ]

    def script(self, steps: int = STEPS, **how: Any) -> list[Step]:
        """:meth:`shows`, and the end of the run."""
        return [*self.shows(steps, **how), self.scaffold.finish]

    def run(self, job: Job, script: Sequence[Step], **server: Any) -> Run:
        """Make a run."""
        return observe(self.scaffold, job, script, **server)

    def sound(self, script: Sequence[Step], strategy: Mapping[str, Any] | None = None) -> Run:
        """``script`` with nothing wrong, and without the plugin where there is no ``strategy``; made once."""
        key = repr((script, strategy))
        if key not in self._known:
            self._known[key] = self.run(self.job(strategy), script)
        return self._known[key]

    def start(self, job: Job) -> subprocess.Popen[bytes]:
        """Begin a run in a process of its own; where it ends by itself, :func:`end_of` tells how."""
        path = job_path(job)
        path.write_text(json.dumps(asdict(job)), encoding="utf-8")
        paths = os.pathsep.join(str(ROOT / part) for part in ("shared", ".", "tests"))
        command = [sys.executable, "-W", "ignore", "-m", "faults", "run", self.key, str(path)]
        quiet = subprocess.DEVNULL
        environment = {**os.environ, "PYTHONPATH": paths}
        return subprocess.Popen(command, env=environment, cwd=job.folder, stdin=quiet, stdout=quiet, stderr=quiet)


def job_path(job: Job) -> Path:
    """Where a job is written for a process of its own."""
    return Path(job.folder, f"{job.name}.job.json")


def end_of(job: Job) -> str:
    """How the run ended that a process of its own made."""
    path = job_path(job).with_suffix(".end")
    return path.read_text(encoding="utf-8") if path.is_file() else "no end"


def lost(run: Run, plain: Run) -> list[str]:
    """What of a run is not as in ``plain``, the same run without the plugin: its end, its requests, its record."""
    broken = []
    if run.end != plain.end:
        broken.append(f"it ends {run.end!r}, not {plain.end!r}")
    if len(run.answered) != len(plain.answered):
        broken.append(f"the agent is answered {len(run.answered)} times, not {len(plain.answered)}")
    if list(run.outputs) != list(plain.outputs):
        pairs = list(zip(run.outputs, plain.outputs, strict=False))
        whole = sum(one == other for one, other in pairs)
        broken.append(f"the record holds {whole} of {len(plain.outputs)} outputs as they were{_difference(pairs)}")
    return broken


def _difference(pairs: Sequence[tuple[str, str]]) -> str:
    """The first line that is another."""
    lines = [pair for one, other in pairs for pair in zip_longest(one.splitlines(), other.splitlines(), fillvalue="")]
    return next((f": {first_line(one)!r}, not {other!r}" for one, other in lines if one != other), "")


def ended(run: Run) -> str:
    """How a run went, in a few words."""
    return f"{len(run.answered)} requests, {run.end}"


def unless(held: object, promise: str) -> list[str]:
    """``promise`` where it was not ``held``."""
    return [] if held else [promise]


def texts(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """The text of each message."""
    from context_strategies.testing.wire import text_of

    return [text_of({"content": message.get("content")}) for message in messages]


def first_line(text: str, length: int = 60) -> str:
    """The beginning of a text, as it can stand in a table."""
    line = " ".join(text.split()).replace("|", "/")
    return line if len(line) <= length else f"{line[: length - 1]}…"


def named(job: Job, name: str) -> Job:
    """A run of another name in the same folder."""
    return replace(job, name=name)
