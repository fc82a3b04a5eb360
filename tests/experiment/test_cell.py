"""One cell, however it ends."""

import threading
import time

import pytest

from context_strategies.experiment import record as states
from context_strategies.experiment.cell import run_cell
from context_strategies.experiment.record import FILE, LOCK, LOG, Record, claimed
from context_strategies.experiment.workspace import place_of
from experiment_files import Make


def test_a_cell_that_is_done(make: Make) -> None:
    (cell,) = make().cells
    record = run_cell(cell)
    assert (record.state, record.exit_code, record.cost, record.calls) == (states.DONE, 0, 0.5, 1)
    assert record.command[-1].endswith("one.traj.json")
    assert record.ended >= record.started
    assert Record.read(cell) is not None
    assert {path.name for path in cell.folder.iterdir()} == {FILE, LOCK, LOG, "mini.yaml", "one.traj.json"}
    assert not place_of(cell).exists()


@pytest.mark.parametrize(
    ("task", "state", "reason"),
    [
        ("fail", states.FAILED, "exit code 3: it went wrong"),
        ("nothing", states.FAILED, "no call of a model is recorded; see log.txt"),
        ("hang", states.TIMEOUT, "ended after 3 s"),
    ],
)
def test_a_cell_that_is_not(make: Make, task: str, state: str, reason: str) -> None:
    (cell,) = make({"one": task}, timeout=3).cells
    record = run_cell(cell)
    assert (record.state, record.reason) == (state, reason)
    assert record.cost is None
    assert not place_of(cell).exists()


def test_a_cell_that_cant_be_started(make: Make) -> None:
    (cell,) = make(scaffolds={"mini": {"python": "/no/such/python"}}).cells
    record = run_cell(cell)
    assert record.state == states.FAILED
    assert "/no/such/python" in record.reason


def test_a_cell_is_ended_early(make: Make) -> None:
    files = make({"one": "hang"})
    stop = threading.Event()
    done: list[Record] = []
    thread = threading.Thread(target=lambda: done.append(run_cell(files.cells[0], stop)))
    thread.start()
    while not files.starts:
        time.sleep(0.05)
    stop.set()
    thread.join(60)
    assert done[0].state == states.STOPPED


def test_a_cell_is_not_run_twice_nor_by_two(make: Make) -> None:
    files = make()
    (cell,) = files.cells
    with claimed(cell):
        assert run_cell(cell).state == states.BUSY
    assert run_cell(cell).state == states.DONE
    assert run_cell(cell).state == states.DONE
    assert files.starts == ["one"]


def test_an_attempt_begins_in_a_clean_folder_and_its_cost_adds_up(make: Make) -> None:
    (cell,) = make().cells
    run_cell(cell)
    (changed,) = make(cell_budget=1).cells
    (cell.folder / "left.traj.json").write_text("x")
    record = run_cell(changed)
    assert not (cell.folder / "left.traj.json").exists()
    assert (record.cost, record.earlier, record.spent) == (0.5, 0.5, 1.0)
