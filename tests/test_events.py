import json
import logging
from pathlib import Path

import pytest

from context_strategies import Session, choose
from context_strategies.events import Condensed, Fallback, JsonLines, Step
from conversations import Scribe, play


def test_each_event_is_one_line_of_json(tmp_path: Path) -> None:
    write = JsonLines(tmp_path / "run.jsonl")
    write(Step(turn=1, before=10, after=5, shared=3, hidden=2, reason="über \ud800"))
    write(Fallback(1, "line\nbreak", "masking"))
    lines = (tmp_path / "run.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0]) == {
        "turn": 1, "before": 10, "after": 5, "shared": 3, "hidden": 2,
        "boundary": 0, "summarized": 0, "reason": "über \ud800", "event": "step",
    }  # fmt: skip
    assert json.loads(lines[1]) == {"turn": 1, "reason": "line\nbreak", "instead": "masking", "event": "fallback"}


def test_a_disk_that_cannot_take_them_is_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write = JsonLines(tmp_path / "no" / "such" / "folder" / "run.jsonl")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            write(Fallback(1, "a", "b"))
    assert [record.getMessage().split(": ")[0] for record in caplog.records] == [
        f"events of this run are no longer written to {tmp_path / 'no' / 'such' / 'folder' / 'run.jsonl'}"
    ]


def test_a_run_leaves_a_line_for_each_request_and_each_summary(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    session = Session(choose("rolling_summary"), summarizer=Scribe(), record=JsonLines(path))
    play(session, 8)
    events = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    steps = [event for event in events if event["event"] == "step"]
    assert [event["turn"] for event in steps] == list(range(1, 9))
    assert [event["summarized"] for event in steps] == [0, 0, 0, 2, 2, 2, 2, 6]
    assert steps[3]["reason"] == "turns 1 to 2 summarized"
    assert all(event["shared"] <= event["after"] <= event["before"] for event in steps)
    condensed = [Condensed(**event) for event in events if event["event"] == "condensed"]
    assert [(c.first_turn, c.last_turn, c.by, c.cost) for c in condensed] == [
        (1, 2, "scribe", 0.01),
        (3, 6, "scribe", 0.01),
    ]
    assert all(c.tokens < c.replaced for c in condensed)
