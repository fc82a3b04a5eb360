"""A guarded command gives its exit code, and ends with who started it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from experiment_files import alive, eventually, pids_in

GUARD = [sys.executable, "-m", "context_strategies.experiment.guard"]
BELOW = "sleep 600 & echo $$ $! > {pids}; setsid sleep 600 & echo $! >> {pids}; wait"
"""Writes three ids: its own, that of one in its group, and that of one in a session of its own."""


@pytest.mark.parametrize(("command", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137)])
def test_the_exit_code_is_the_commands(command: str, code: int) -> None:
    with subprocess.Popen([*GUARD, "sh", "-c", command], stdin=subprocess.PIPE) as guard:
        assert guard.wait(60) == code


def test_all_that_was_started_ends_when_input_closes(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    with subprocess.Popen([*GUARD, "sh", "-c", BELOW.format(pids=pids)], stdin=subprocess.PIPE):
        started = pids_in(pids, 3)
        assert all(map(alive, started))
    eventually(started)


def test_all_that_was_started_ends_when_the_starter_is_killed(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = "import subprocess, sys; subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE).wait()"
    with subprocess.Popen([sys.executable, "-c", code, *GUARD, "sh", "-c", BELOW.format(pids=pids)]) as starter:
        started = pids_in(pids, 3)
        os.kill(starter.pid, signal.SIGKILL)
    eventually(started)


@pytest.mark.parametrize(
    ("without", "ended"),
    [
        ("guard.which = lambda _: None", 3),
        ("guard.PROC = Path('/none')", 3),
        ("guard.which = lambda _: None; guard.PROC = Path('/none')", 2),
    ],
    ids=["ps", "proc", "both"],
)
def test_without_a_list_of_processes_those_of_the_commands_own_group_end(
    tmp_path: Path, without: str, ended: int
) -> None:
    pids = tmp_path / "pids"
    code = f"import sys; from pathlib import Path; from context_strategies.experiment import guard; {without}; "
    words = [sys.executable, "-c", f"{code}sys.exit(guard.main())", "sh", "-c", BELOW.format(pids=pids)]
    with subprocess.Popen(words, stdin=subprocess.PIPE):
        started = pids_in(pids, 3)
    eventually(started[:ended])
    for survivor in filter(alive, started[ended:]):
        os.kill(survivor, signal.SIGKILL)
