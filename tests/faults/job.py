"""A run to be made in some scaffold, and what came of it."""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path
from typing import Any, Protocol

from context_strategies.events import LOG
from context_strategies.testing import Record, ScriptedModel, Step

URL = "{url}"
"""Where in a job the scripted model's address goes."""

MAX_STEPS = 3_000
"""What a run may take: a condensation counts as one, too."""


@dataclass(frozen=True, slots=True)
class Job:
    """A run in ``folder``, which several may share by different names.

    ``strategy`` is None for the scaffold without a plugin. ``summarizer`` describes another model than the run's own
    (``model``, ``api_base``, ``timeout`` in seconds). ``model`` names one that has no prices. ``resume`` goes on with
    what lies in the folder.
    """

    folder: str
    strategy: Mapping[str, Any] | None = None
    summarizer: Mapping[str, Any] | None = None
    url: str = ""
    name: str = "run"
    model: str = ""
    resume: bool = False

    @property
    def task(self) -> str:
        """What the user asks for."""
        return f"Count for me, and change nothing. TASK-ID: {self.name}"


class Scaffold(Protocol):
    """A scaffold, driven alike."""

    title: str
    finish: Step
    """What its agent ends a run with."""
    before: str
    """What a command has to begin with, to be run and its output kept."""
    resumes: bool
    """Whether it can go on with a run that was killed."""
    threads: bool
    """Whether several runs at once are threads of one process; else they are processes."""

    def run(self, job: Job) -> str:
        """Make the run; in which state it ended, or how it failed. Never raises."""
        ...

    def outputs(self, job: Job) -> list[str]:
        """What the scaffold's own record of the run holds of its commands' outputs."""
        ...

    def events_path(self, job: Job) -> Path:
        """Where the plugin writes its events."""
        ...


@dataclass(frozen=True, slots=True)
class Run:
    """How it ended, what its model was sent, the outputs in the scaffold's record, our events and our warnings."""

    end: str
    log: Sequence[Record]
    outputs: Sequence[str]
    events: Sequence[Mapping[str, Any]]
    said: Sequence[str]

    @property
    def answered(self) -> list[Record]:
        """The agent's requests that were answered."""
        return [record for record in self.log if record.kind == "agent" and record.status == HTTPStatus.OK]

    @property
    def prompts(self) -> list[Record]:
        """The summarizer's requests."""
        return [record for record in self.log if record.kind == "summary"]

    def told(self, kind: str) -> list[Mapping[str, Any]]:
        """The events of one kind."""
        return [event for event in self.events if event["event"] == kind]

    @property
    def reasons(self) -> str:
        """What the fallbacks say went wrong."""
        return "; ".join(event["reason"] for event in self.told("fallback"))


class Listener(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep ``record``'s message."""
        self.said.append(record.getMessage())


@contextmanager
def warnings() -> Iterator[list[str]]:
    """What the plugin warns of meanwhile."""
    listener = Listener()
    LOG.addHandler(listener)
    try:
        yield listener.said
    finally:
        LOG.removeHandler(listener)


def at(job: Job, url: str) -> Job:
    """``job`` with the model at ``url``."""
    summarizer = {key: url if value == URL else value for key, value in (job.summarizer or {}).items()}
    return replace(job, url=url, summarizer=summarizer or None)


def observe(scaffold: Scaffold, job: Job, script: Sequence[Step], **server: Any) -> Run:
    """Run ``job`` with a model that answers from ``script``."""
    with ScriptedModel(script, **server) as model, warnings() as said:
        end = scaffold.run(at(job, model.url))
        log = list(model.log)
    return Run(end, log, scaffold.outputs(job), events_in(scaffold.events_path(job)), said)


def events_in(path: Path) -> list[Mapping[str, Any]]:
    """The events in a file; none where there is no plain one."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []
