"""Many cells: what is left, how many at a time, and until the money is spent."""

import time
from concurrent.futures import Future

from hypothesis import given
from hypothesis import strategies as st

from context_strategies.experiment import record as states
from context_strategies.experiment.cells import Cell
from context_strategies.experiment.record import Record
from context_strategies.experiment.runner import Runner, Spending
from experiment_files import Make


def test_a_failing_cell_does_not_stop_the_rest(make: Make) -> None:
    files = make({"one": "ok", "two": "fail", "three": "ok"})
    outcome = Runner(1).run(files.cells)
    assert [record.state for record in outcome.ran.values()] == [states.DONE, states.FAILED, states.DONE]
    assert not outcome.complete
    assert outcome.spent == 1.0


def test_only_what_is_not_done_is_run_again(make: Make) -> None:
    files = make({"one": "ok", "two": "fail", "three": "ok"})
    Runner(2).run(files.cells)
    again = Runner(2).run(files.cells)
    assert [cell.instance.id for cell in again.before] == ["one", "three"]
    assert list(again.ran) == [files.cells[1].name]
    assert sorted(files.starts) == ["one", "three", "two", "two"]


def test_no_cell_starts_that_the_budget_might_not_pay(make: Make) -> None:
    names = {f"n{number}": "ok" for number in range(5)}
    files = make(names, budget=2.2, cell_budget=1)  # each costs 0.5 in the end
    outcome = Runner(3, files.plan.budget).run(files.cells)
    assert files.starts == ["n0", "n1", "n2"] or sorted(files.starts) == ["n0", "n1", "n2"]
    assert [cell.instance.id for cell in outcome.left] == ["n3", "n4"]
    assert outcome.spent == 1.5
    assert not outcome.complete
    more = make(names, budget=9, cell_budget=1)
    assert Runner(3, more.plan.budget).run(more.cells).complete
    assert len(files.starts) == 5


def test_the_budget_pays_for_cells_of_other_processes(make: Make) -> None:
    files = make({"one": "ok", "two": "ok"}, budget=1.4, cell_budget=1)
    first, second = files.cells
    Runner(1, 1.4).run([first])
    outcome = Runner(1, 1.4).run([second], others=[first])
    assert outcome.left == [second]


def test_cells_run_at_the_same_time(make: Make) -> None:
    files = make({"one": "hang", "two": "hang", "three": "ok"}, timeout=4)
    running: list[int] = [0]
    most: list[int] = [0]

    def report(_cell: Cell, record: Record | None) -> None:
        running[0] += 1 if record is None else -1
        most[0] = max(most[0], running[0])

    outcome = Runner(2, report=report).run(files.cells)
    assert most[0] == 2
    assert [outcome.ran[cell.name].state for cell in files.cells] == [states.TIMEOUT, states.TIMEOUT, states.DONE]


def test_an_interrupt_ends_what_is_running(make: Make) -> None:
    files = make({"one": "hang"})

    def interrupt(_cell: Cell, _record: Record | None) -> None:
        raise KeyboardInterrupt

    runner = Runner(1, report=interrupt)
    begun = time.monotonic()
    try:
        runner.run(files.cells)
    except KeyboardInterrupt:
        assert runner.stop.is_set()
    assert time.monotonic() - begun < 500  # the stand-in hangs for 600 seconds


def test_an_engine_that_loses_a_cell_gives_a_failure(make: Make) -> None:
    def losing(_cell: Cell) -> Future[Record]:
        lost: Future[Record] = Future()
        lost.set_exception(RuntimeError("the worker\nis gone"))
        return lost

    files = make()
    outcome = Runner(1, engine=losing).run(files.cells)
    (record,) = outcome.ran.values()
    assert (record.state, record.reason) == (states.FAILED, "RuntimeError: the worker is gone")


@given(st.lists(st.floats(0.0, 3.0), max_size=20), st.floats(0.1, 10.0), st.integers(1, 4))
def test_spending_never_exceeds_the_budget(costs: list[float], budget: float, parallel: int) -> None:
    """As long as no cell costs more than its own budget."""
    cell = type("Priced", (), {"budget": 3.0})()
    spending = Spending(budget)
    running: list[float] = []
    for cost in costs:
        if len(running) == parallel or not spending.allows(cell):
            for one in running:
                spending.end(cell, Record("a", "b", states.DONE, "c", ("x",), 0, one), 0.0)
            running = []
        if spending.allows(cell):
            spending.start(cell)
            running.append(cost)
    assert spending.spent + sum(running) <= budget + 1e-9
