"""Many sources by many workers: the same results as by one, in the same order, whatever becomes of a worker."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from context_strategies.cli import app
from context_strategies.compare import engine as engines
from context_strategies.compare.engine import Local, engine_of, in_process
from context_strategies.compare.evaluate import RECORDED, Choice, Market
from context_strategies.compare.rows import Sum
from context_strategies.compare.store import Store, keys_of, replayed
from context_strategies.compare.work import Plan, Replayed
from context_strategies.errors import ConfigError
from context_strategies.strategies import choose
from context_strategies.trajectories import Refusal, Source, Trajectory, find, mini
from fatal import Fatal

PLAN = Plan((Choice("raw", choose("raw")), Choice("masking", choose("masking:window=1"))), (Market(),), "recorded")
TASKS = ("one", "two", "three", "four", "five", "six", "seven", "eight")
VIEWED = replace(PLAN, more="viewer")
FATAL = replace(PLAN, choices=(PLAN.choices[0], Choice("fatal", Fatal())))


def write_run(path: Path, task: str, turns: int = 4) -> Path:
    """A small run of mini-swe-agent."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": task}, {"role": "user", "content": "Do it."}]
    for turn in range(turns):
        messages.append({"role": "assistant", "content": f"```bash\ncat {task}_{turn}.py\n```"})
        messages.append({"role": "user", "content": f"<output>\n{task} {turn}: " + f"def name_{turn}(): ...\n" * 30})
    info = {"exit_status": "Submitted", "model_stats": {"instance_cost": 0.25}}
    path.write_text(json.dumps({"info": info, "messages": messages, "trajectory_format": "mini-swe-agent-1"}))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    runs = tmp_path / "runs"
    runs.mkdir()
    for number, task in enumerate(TASKS):
        write_run(runs / f"{number}.traj.json", task, 3 + number % 3)
    (runs / "3b.json").write_text("{")
    return runs


def sources(folder: Path) -> list[Source]:
    return [source for source in find([folder]) if isinstance(source, Source)]


def refused(results: list[Replayed]) -> list[str]:
    return [str(refusal) for result in results for refusal in result.refusals]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_processes_give_what_one_gives(folder: Path) -> None:
    found = sources(folder)
    alone = list(in_process(VIEWED, found))
    assert list(Local(2)(VIEWED, found)) == alone
    assert [result.rows[0].source for result in alone if result.rows] == [
        str(folder / f"{number}.traj.json") for number in range(len(TASKS))
    ]
    assert [len(result.rows) for result in alone] == [2, 2, 2, 2, 0, 2, 2, 2, 2]


def test_little_input_starts_no_process(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "ProcessPool", None)
    assert len(list(Local()(PLAN, sources(folder)))) == len(TASKS) + 1


def test_a_process_that_dies_or_hangs_costs_its_source_alone(folder: Path) -> None:
    write_run(folder / "2b.traj.json", "DIE")
    write_run(folder / "5b.traj.json", "HANG")
    results = list(Local(2, seconds=30)(FATAL, sources(folder)))
    assert [len(result.rows) for result in results] == [2, 2, 2, 0, 2, 0, 2, 2, 0, 2, 2]
    assert refused(results) == [
        f"{folder}/2b.traj.json: the process that read it was ended by SIGKILL, perhaps for want of memory",
        f"{folder}/3b.json: no JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        f"{folder}/5b.traj.json: took longer than 30 seconds",
    ]
    assert [result.failed for result in results].count(True) == 2


def test_an_error_of_ours_costs_its_run_alone(folder: Path) -> None:
    own: Any = {"m": 3}
    plan = replace(PLAN, markets=(Market(RECORDED, own=own),))
    (folder / "1.traj.json").write_text(
        (folder / "1.traj.json").read_text().replace('"info": {', '"info": {"config": {"model": {"model_name": "m"}}, ')
    )
    results = list(in_process(plan, sources(folder)))
    assert [len(result.rows) for result in results] == [2, 0, 2, 2, 0, 2, 2, 2, 2]
    assert "1.traj.json: can't be replayed: " in refused(results)[0]
    assert results[1].failed


def test_an_error_in_reading_costs_its_source_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(value: Any, source: str) -> Iterator[Trajectory]:
        if source.endswith("2.traj.json"):
            raise RuntimeError("generator raised StopIteration")
        yield from mini.parse(value, source)

    reader = SimpleNamespace(NAME="odd", claims=mini.claims, parse=parse)
    monkeypatch.setattr(import_module("context_strategies.trajectories.load"), "FORMATS", (reader,))
    results = list(in_process(PLAN, sources(folder)))
    assert [len(result.rows) for result in results] == [2, 2, 0, 2, 0, 2, 2, 2, 2]
    assert refused(results)[0] == (f"{folder}/2.traj.json: can't be read: RuntimeError: generator raised StopIteration")
    assert [result.failed for result in results].count(True) == 1


def test_a_process_has_its_share_of_the_memory() -> None:
    pytest.importorskip("resource", reason="this system limits no process")
    code = (
        "from context_strategies.compare.engine import LEAST_MEMORY, _prepare\n_prepare(10**9)\n"
        "try:\n    bytearray(LEAST_MEMORY + 2**20)\nexcept MemoryError:\n    print('refused')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "refused\n"


def test_a_name_is_an_engine_or_one_line() -> None:
    assert engine_of("local", 3, 5) == Local(3, 5)
    with pytest.raises(ConfigError, match="--engine ray: choose one of: local, dask://HOST:PORT"):
        engine_of("ray", None, 0)


# What was done is kept.


def test_what_was_done_is_not_done_again(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = run("replay", folder, "-s", "masking", "--out", out, "--json")
    lines = (out / "runs.jsonl").read_bytes()
    before = [(out / name).read_bytes() for name in ("replay.json", "replay.csv")]
    write_run(folder / "9.traj.json", "nine")
    (folder / "9.traj.json").rename(tmp_path / "nine")
    again = run("replay", folder, "-s", "masking", "--out", out, "--json")
    assert again.stdout == first.stdout
    assert f"{out}/runs.jsonl: 8 of 9 files and folders were done before" in again.stderr
    assert [(out / name).read_bytes() for name in ("replay.json", "replay.csv")] == before
    assert (out / "runs.jsonl").read_bytes() == lines
    assert len(lines.splitlines()) == len(TASKS)
    assert "before" not in run("replay", folder, "-s", "masking", "--out", out, "--fresh").stderr


def test_what_was_interrupted_goes_on(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    whole = run("replay", folder, "-s", "masking", "--out", out, "--json").stdout
    path = out / "runs.jsonl"
    lines = path.read_bytes()
    path.write_bytes(b"".join(lines.splitlines(keepends=True)[2:5])[:-40])
    again = run("replay", folder, "-s", "masking", "--out", out, "--json")
    assert "2 of 9 files and folders were done before" in again.stderr
    assert again.stdout == whole
    assert path.read_bytes() == lines


def test_a_file_of_someone_elses_is_left_alone(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text('{"id": 1}\n')
    result = run("replay", folder, "-s", "raw", "--out", tmp_path)
    assert result.exit_code == 2
    assert f"{path}: line 1 is none of this command's: choose another --out" in result.stderr
    assert path.read_text() == '{"id": 1}\n'


@pytest.mark.parametrize("change", [("-s", "masking:window=2"), ("--cache", "none"), ("--model", "mine")])
def test_other_settings_reuse_nothing(folder: Path, tmp_path: Path, change: tuple[str, str]) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("mine: {input_cost_per_token: 1.0, output_cost_per_token: 0.0}\n")
    out, asked = tmp_path / "out", ("--prices", prices)
    run("replay", folder, "--out", out, *asked)
    changed = run("replay", folder, "--out", out, *asked, *change, "--json")
    assert "before" not in changed.stderr
    assert changed.stdout == run("replay", folder, *asked, *change, "--json").stdout
    assert len((out / "runs.jsonl").read_bytes().splitlines()) == len(TASKS)


def test_a_changed_file_is_read_again(folder: Path, tmp_path: Path) -> None:
    keys = list(keys_of(PLAN, sources(folder)))
    write_run(folder / "0.traj.json", "changed", turns=9)
    after = list(keys_of(PLAN, sources(folder)))
    assert [key == other for key, other in zip(keys, after, strict=True)] == [False] + [True] * len(TASKS)


def test_a_store_gives_back_what_it_took(folder: Path, tmp_path: Path) -> None:
    found: list[Source | Refusal] = [*sources(folder), Refusal("elsewhere", "no such file")]
    said: list[str] = []
    path = tmp_path / "deep" / "runs.jsonl"
    fresh = list(replayed(PLAN, found, in_process, Store(path), said.append))
    assert not said
    assert list(replayed(PLAN, found, Local(2), Store(path), said.append)) == fresh
    assert len(said) == 1
    assert list(Store(path).rows("")) == [row for result in fresh for row in result.rows]
    assert [check.cost for result in fresh for check in result.checks] == [0.25] * len(TASKS)


def test_what_failed_here_is_tried_again(folder: Path, tmp_path: Path) -> None:
    def failing(plan: Plan, sources: Any) -> Iterator[Replayed]:
        yield from (replace(result, failed=True) for result in in_process(plan, sources))

    path, found, said = tmp_path / "runs.jsonl", sources(folder), list[str]()
    list(replayed(PLAN, found, failing, Store(path), said.append))  # type: ignore[arg-type]  # closed as well
    list(replayed(PLAN, found, in_process, Store(path), said.append))
    assert not said
    assert len(path.read_bytes().splitlines()) == len(TASKS)


def test_control_c_ends_at_once_and_leaves_what_is_done(folder: Path, tmp_path: Path) -> None:
    write_run(folder / "7b.traj.json", "HANG")
    out = tmp_path / "out"
    code = "from context_strategies.cli import main; main()"
    command = [sys.executable, "-c", code, "replay", str(folder), "-s", "fatal:Fatal", "--out", str(out), "-j", "2"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    path = out / "runs.jsonl"
    while process.poll() is None and not (path.is_file() and path.read_bytes().count(b"\n") == len(TASKS)):
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode in {1, 130}
    assert f"{path}: holds what was done; the same command goes on from there" in stderr
    assert len(path.read_bytes().splitlines()) == len(TASKS)


# A cluster.


@pytest.fixture
def cluster() -> Iterator[Any]:
    dask = pytest.importorskip("dask", reason="Dask is not installed")
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
        ) as workers,
    ):
        yield workers


def test_a_cluster_gives_what_this_process_gives_though_a_worker_is_killed(
    folder: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(10, 60):
        write_run(folder / f"{number}.traj.json", f"task_{number}", turns=40)
    monkeypatch.chdir(folder.parent)
    found = sources(Path("runs"))
    results: list[Replayed] = []
    with closing(engine_of(cluster.scheduler_address.replace("tcp", "dask"), None, 0)(VIEWED, found)) as engine:
        results.append(next(engine))
        busy = next(worker for worker in cluster.scheduler.workers.values() if worker.processing)
        os.kill(cluster.workers[busy.name].pid, signal.SIGKILL)
        results += engine
    assert results == list(in_process(VIEWED, found))


def test_a_cluster_refuses_what_kills_its_workers(folder: Path, cluster: Any) -> None:
    write_run(folder / "2b.traj.json", "DIE")
    results = list(engine_of(cluster.scheduler_address.replace("tcp", "dask"), None, 0)(FATAL, sources(folder)[:5]))
    assert [len(result.rows) for result in results] == [2, 2, 2, 0, 2]
    assert refused(results)[0] == f"{folder}/2b.traj.json: every worker that read it was lost"


@pytest.mark.parametrize(
    ("engine", "said"),
    [
        ("dask://127.0.0.1:1", "no scheduler there: Timed out trying to connect"),
        ("dask://127.0.0.1", "not HOST:PORT"),
        ("dask://", "not HOST:PORT"),
        ("spark://127.0.0.1:1", "choose one of: local, dask://HOST:PORT"),
    ],
)
def test_no_cluster_is_one_line(folder: Path, engine: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed")
    monkeypatch.setattr("context_strategies.dask_client.PATIENCE", 1)
    result = run("replay", folder, "-s", "raw", "--engine", engine)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith(f"context-strategies: --engine {engine}: {said}")


def test_a_missing_dask_is_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = run("replay", folder, "-s", "raw", "--engine", "dask://127.0.0.1:1")
    assert result.exit_code == 2
    assert "pip install 'context-strategies[dask]'" in result.stderr


@given(st.lists(st.floats(0, 1e9), max_size=200))
def test_a_running_sum_is_a_sum(parts: list[float]) -> None:
    total = Sum()
    for part in parts:
        total.add(part)
    assert float(total) == (sum(parts) if sys.version_info >= (3, 12) else pytest.approx(sum(parts)))
