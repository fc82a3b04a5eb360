"""Cells on a Dask cluster."""

import pytest

from context_strategies.errors import ConfigError
from context_strategies.experiment import record as states
from context_strategies.experiment.engine import engine_of
from context_strategies.experiment.runner import Runner
from experiment_files import Make


def test_cells_run_on_a_cluster(make: Make) -> None:
    distributed = pytest.importorskip("distributed", reason="distributed is not installed here")
    files = make({"one": "ok", "two": "fail", "three": "ok"})
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, processes=True
    )
    with cluster, engine_of(cluster.scheduler_address.replace("tcp://", "dask://")) as engine:
        outcome = Runner(2, engine=engine).run(files.cells)
    assert [outcome.ran[cell.name].state for cell in files.cells] == [states.DONE, states.FAILED, states.DONE]
    assert sorted(files.starts) == ["one", "three", "two"]


@pytest.mark.parametrize("address", ["slurm", "dask://", "tcp://127.0.0.1:1", "dask://127.0.0.1:1"])
def test_an_address_that_leads_nowhere_is_one_line(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("context_strategies.experiment.engine.SECONDS", 1)
    with pytest.raises(ConfigError) as caught, engine_of(address):
        pass
    assert len(str(caught.value).splitlines()) == 1
