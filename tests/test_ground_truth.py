"""What SWE-agent's own masking hid in recorded runs is what ``masking`` hides with the same window."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from context_strategies import Message, Session, choose
from context_strategies.messages import text_of
from context_strategies.trajectories import Trajectory, read

ELIDED = "Old environment output: ("
"""How SWE-agent's ``last_n_observations`` begins what it puts in the place of an output."""


@dataclass(frozen=True)
class Recorded:
    """A run made with ``last_n_observations``: its n, its raw history, and the requests made of it, in order."""

    name: str
    n: int
    history: Sequence[Message]
    requests: Sequence[Sequence[Mapping[str, Any]]]


def recorded(folder: Path) -> Iterator[Recorded]:
    for path in sorted(folder.glob("sweagent/*.traj")):
        stored = json.loads(path.read_bytes())
        config = stored.get("replay_config") or {}
        config = json.loads(config) if isinstance(config, str) else config
        # In 1.0, what a step stores as its messages is what the next call was sent.
        requests = [step.get("query") or step.get("messages") for step in stored["trajectory"]]
        (run,) = read([path])
        assert isinstance(run, Trajectory)
        for processor in config.get("agent", {}).get("history_processors") or ():
            if processor["type"] == "last_n_observations":
                yield Recorded(path.name, processor["n"], run.history.messages, requests)


def elided(request: Sequence[Mapping[str, Any]]) -> list[int]:
    return [index for index, message in enumerate(request) if text_of(message.get("content"))[0].startswith(ELIDED)]


def hidden(session: Session) -> list[int]:
    return [part.place for part in session.context() if part.place is not None and part.text is not None]


def test_masking_hides_the_outputs_that_sweagent_hid_step_by_step(recordings: Path) -> None:
    runs = list(recorded(recordings))
    assert [(run.name, run.n, len(run.requests)) for run in runs] == [
        ("v1-demo-marshmallow-funccall-from-source.traj", 5, 13)
    ]
    for run in runs:
        spec = {"type": "masking", "window": run.n, "refresh": 1, "placeholder": "[hidden]"}
        session = Session(choose(spec))
        for step, request in enumerate(run.requests):
            session.feed(run.history[len(session.history) : len(request)])
            assert hidden(session) == elided(request), f"{run.name}, step {step}"
        assert len(hidden(session)) == len(run.requests) - run.n


def test_the_usual_placeholder_leaves_only_outputs_that_are_no_longer_than_itself(recordings: Path) -> None:
    for run in recorded(recordings):
        session = Session(choose({"type": "masking", "window": run.n, "refresh": 1}))
        session.feed(run.history)
        gone = elided(run.requests[-1])
        assert set(hidden(session)) <= set(gone)
        assert all(len(run.history[index].text) < 150 for index in set(gone) - set(hidden(session)))
