"""Cells on a Dask cluster."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest

from context_strategies.errors import ConfigError
from context_strategies.experiment import record as states
from context_strategies.experiment.engine import engine_of
from context_strategies.experiment.record import Record
from context_strategies.experiment.runner import Runner
from experiment_files import COMMAND, Make, eventually, pids_in


@pytest.fixture
def cluster() -> Iterator[Any]:
    """Return a cluster; named after ``make``, which says where cells work, for its workers as well."""
    distributed = pytest.importorskip("distributed", reason="distributed is not installed here")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
    ) as workers:
        yield workers


def name_of(cluster: Any) -> str:
    return str(cluster.scheduler_address).replace("tcp://", "dask://")


def test_cells_run_on_a_cluster(make: Make, cluster: Any) -> None:
    files = make({"one": "ok", "two": "fail", "three": "ok"})
    with engine_of(name_of(cluster)) as engine:
        outcome = Runner(2, engine=engine).run(files.cells)
    assert [outcome.ran[cell.name].state for cell in files.cells] == [states.DONE, states.FAILED, states.DONE]
    assert sorted(files.starts) == ["one", "three", "two"]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_cell_on_a_cluster_ends_with_the_command(make: Make, cluster: Any, how: signal.Signals) -> None:
    files = make({"one": "hang", "two": "ok", "three": "ok"}, parallel=1)
    (cell, *_) = files.cells
    words = [*COMMAND, "run", str(files.path), "--engine", name_of(cluster)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as command:
        started = pids_in(files.path.parent / "pids.txt", 2)
        os.kill(command.pid, how)
        _, said = command.communicate(timeout=60)
    assert "stopped; the same command goes on from here" in said or how is signal.SIGKILL
    eventually(started)
    end = time.monotonic() + 30
    while (record := Record.read(cell)) is None or record.state == states.RUNNING:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert record.state == states.STOPPED
    assert files.starts == ["one"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("slurm", "choose one of: local, dask://HOST:PORT"),
        ("tcp://127.0.0.1:1", "choose one of: local, dask://HOST:PORT"),
        ("dask://", "not HOST:PORT"),
        ("dask://127.0.0.1:1", "no scheduler there: "),
    ],
)
def test_a_name_that_leads_nowhere_is_one_line(name: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="distributed is not installed here")
    monkeypatch.setattr("context_strategies.dask_client.PATIENCE", 1)
    with pytest.raises(ConfigError) as caught, engine_of(name):
        pass
    assert str(caught.value).startswith(f"--engine {name}: {said}")
    assert len(str(caught.value).splitlines()) == 1


def test_workers_that_are_built_otherwise_run_no_cell(
    make: Make, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("context_strategies.version.version", lambda _name: "9.9")  # in this process alone
    files = make()
    with pytest.raises(ConfigError, match=r"tcp://.* has .*; here: 9\.9, "), engine_of(name_of(cluster)) as engine:
        Runner(1, engine=engine).run(files.cells)
    assert not files.starts
