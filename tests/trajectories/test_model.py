"""What a reader may make of a recording that holds anything."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_strategies.history import History, Kind, Message
from context_strategies.trajectories import Trajectory, read
from context_strategies.trajectories.atif_export import written

HOSTILE = "a\x1b]0;owned\x07\nb\u202e\ud800"
SHOWN = r"a\x1b]0;owned\x07\nb\u202e\ud800"


def run(name: str) -> Trajectory:
    return Trajectory(name, "a.json", "f", name, History([Message(Kind.TASK, name)]), (), exit_status=name)


def test_names_do_nothing_to_a_terminal_and_messages_stay_as_they_are() -> None:
    found = run(HOSTILE)
    assert (found.id, found.model, found.exit_status) == (SHOWN,) * 3
    assert found.history[0].text == HOSTILE


@given(st.text() | st.text("\x1b\na", min_size=900, max_size=1_100))
def test_any_name_is_one_line_and_the_same_in_a_copy(name: str) -> None:
    found = run(name)
    assert found.id.isprintable()
    assert replace(found).id == found.id


@pytest.mark.parametrize("name", [HOSTILE, "\x1b" * 2_000])
def test_an_export_comes_back_under_the_same_names(tmp_path: Path, name: str) -> None:
    path = tmp_path / "back.json"
    path.write_text(str(written(run(name))), encoding="utf-8")
    (back,) = read([path])
    assert isinstance(back, Trajectory)
    assert (back.id, back.model, back.exit_status) == (run(name).id,) * 3
