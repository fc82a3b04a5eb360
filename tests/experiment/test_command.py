"""The command, as its users meet it: lists, job lists, exit codes, and going on after it was killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from typer.testing import CliRunner, Result

from context_strategies.cli import app
from context_strategies.experiment import record as states
from context_strategies.experiment.record import Record
from experiment_files import COMMAND, Files, Make, alive, pids_in


def run(files: Files, *options: str) -> Result:
    return CliRunner().invoke(app, ["run", str(files.path), *options])


def test_what_is_done_and_how_to_compare_it(make: Make) -> None:
    files = make({"one": "ok", "two": "ok"}, strategies=["raw", "masking"])
    result = run(files)
    assert result.exit_code == 0, result.stderr
    assert len([line for line in result.stderr.splitlines() if line.startswith("done mini/")]) == 4
    command = result.stdout[result.stdout.index("context-strategies compare") :].replace("\\\n", "").split()
    folder = files.path.parent / "runs"
    assert command[2:] == [
        f"mini/{name}/openai-gpt-4.1-mini={folder}/mini/{name}/openai-gpt-4.1-mini" for name in ("raw", "masking")
    ]
    compared = CliRunner().invoke(app, command[1:])
    assert compared.exit_code == 0, compared.output


def test_a_failure_and_an_unpaid_cell_are_exit_code_1(make: Make) -> None:
    result = run(make({"one": "fail"}))
    assert result.exit_code == 1
    assert "failed: mini/raw/openai-gpt-4.1-mini/one: exit code 3: it went wrong" in result.stdout
    result = run(make({"two": "ok", "three": "ok"}, budget=1.2, cell_budget=1))
    assert result.exit_code == 1
    assert "left, for want of money ($0.5000 are spent): mini/raw/openai-gpt-4.1-mini/three" in result.stdout


def test_a_wrong_file_is_one_line_and_exit_code_2(make: Make) -> None:
    for result in (run(make(strategies=["maskin"])), run(make(), "--only", "x"), run(make(), "--engine", "slurm")):
        assert result.exit_code == 2
        assert len(result.stderr.strip().splitlines()) == 1


def test_cells_are_listed_and_none_is_run(make: Make) -> None:
    files = make({"one": "ok", "two": "fail"})
    assert run(files, "--list").stdout.split() == [
        *("new", "mini/raw/openai-gpt-4.1-mini/one"),
        *("new", "mini/raw/openai-gpt-4.1-mini/two"),
    ]
    assert not files.starts
    run(files)
    assert run(files, "--list").stdout.split()[::2] == ["done", "failed"]
    assert run(make({"one": "ok", "two": "fail"}, cell_budget=1), "--list").stdout.split()[::2] == ["changed", "failed"]


def test_each_line_of_a_job_list_runs_one_cell(make: Make, tmp_path: Path) -> None:
    files = make({"one": "ok", "two": "ok"})
    lines = run(files, "--jobs-list").stdout.splitlines()
    assert len(lines) == 2
    (tmp_path / "context-strategies").write_text(f'#!/bin/sh\nexec {sys.executable} -c "{COMMAND[2]}" "$@"\n')
    (tmp_path / "context-strategies").chmod(0o755)
    variables = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["/bin/sh", "-c", lines[1]], env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert files.starts == ["two"]
    assert len(run(files, "--jobs-list").stdout.splitlines()) == 1


def test_killed_and_started_again_it_does_only_what_is_left(make: Make, tmp_path: Path) -> None:
    files = make({"one": "ok", "two": "hang", "three": "ok"})
    with subprocess.Popen([*COMMAND, "run", str(files.path)], stderr=subprocess.DEVNULL) as killed:
        started = pids_in(tmp_path / "pids.txt", 2)
        os.kill(killed.pid, signal.SIGKILL)
    first, second, _ = files.cells
    broken = Record.read(second)
    assert broken is not None
    assert broken.state == states.RUNNING
    finished = (first.folder / states.FILE).read_bytes()

    again = make({"one": "ok", "two": "ok", "three": "ok"})
    deadline = time.monotonic() + 60  # what was started takes a moment to end
    while (result := run(again)).exit_code and time.monotonic() < deadline:
        assert "busy" in result.stdout
    assert result.exit_code == 0, result.output
    assert files.starts == ["one", "two", "two", "three"]
    assert (first.folder / states.FILE).read_bytes() == finished
    assert not any(map(alive, started))
