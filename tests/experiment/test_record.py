"""What is known of a cell survives whatever happens while it is written."""

import json

import pytest

from context_strategies.experiment import record as states
from context_strategies.experiment.record import Record, claimed, clear, is_finished
from experiment_files import Make


def test_what_is_written_is_read(make: Make) -> None:
    (cell,) = make().cells
    record = Record(cell.label, "one", states.DONE, cell.setting, command=("a", "b"), cost=0.25, earlier=1.0)
    assert Record.read(cell) is None
    cell.folder.mkdir(parents=True)
    record.write(cell.folder)
    read = Record.read(cell)
    assert read is not None
    assert read == record
    assert read.spent == 1.25
    assert is_finished(cell, read)
    assert not is_finished(make(cell_budget=1).cells[0], read)


def test_a_record_of_another_version_is_read(make: Make) -> None:
    (cell,) = make().cells
    cell.folder.mkdir(parents=True)
    Record(cell.label, "one", states.DONE, cell.setting, cost=0.25).write(cell.folder)
    content = json.loads((cell.folder / states.FILE).read_text())
    del content["fallbacks"]  # as an earlier one would not have it
    (cell.folder / states.FILE).write_text(json.dumps({**content, "mood": "good"}))  # nor this one a later one's
    read = Record.read(cell)
    assert read is not None
    assert (read.cost, read.fallbacks) == (0.25, 0)
    assert is_finished(cell, read)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"state": "done"', "\x00", '{"label": 1}'])
def test_a_record_that_is_none_is_as_if_there_were_none(make: Make, text: str) -> None:
    (cell,) = make().cells
    cell.folder.mkdir(parents=True)
    (cell.folder / states.FILE).write_text(text)
    assert Record.read(cell) is None


def test_one_process_at_a_time(make: Make) -> None:
    (cell,) = make().cells
    with claimed(cell) as first:
        assert first
        with claimed(cell) as second:
            assert not second
    with claimed(cell) as again:
        assert again


def test_clearing_keeps_the_record_and_the_claim(make: Make) -> None:
    (cell,) = make().cells
    folder = cell.folder
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "link").symlink_to(folder.parent)
    for name in (states.FILE, states.LOCK, "one.traj.json"):
        (folder / name).write_text("x")
    clear(folder)
    assert {path.name for path in folder.iterdir()} == {states.FILE, states.LOCK}
    assert folder.parent.exists()
