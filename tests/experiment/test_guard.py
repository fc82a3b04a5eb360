"""A guarded command gives its exit code, and ends with who started it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

GUARD = [sys.executable, "-m", "context_strategies.experiment.guard"]
BELOW = "sleep 600 & setsid sleep 600 & echo $! > {pids}; echo $$ >> {pids}; wait"


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def eventually(gone: list[int], seconds: float = 30.0) -> None:
    """Wait until none of these processes lives."""
    end = time.monotonic() + seconds
    while any(map(alive, gone)):
        assert time.monotonic() < end, f"of {gone} some still live"
        time.sleep(0.05)


def pids_in(path: Path, count: int) -> list[int]:
    end = time.monotonic() + 30
    while not path.exists() or len(path.read_text().split()) < count:
        assert time.monotonic() < end
        time.sleep(0.05)
    return list(map(int, path.read_text().split()))


@pytest.mark.parametrize(("command", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137)])
def test_the_exit_code_is_the_commands(command: str, code: int) -> None:
    with subprocess.Popen([*GUARD, "sh", "-c", command], stdin=subprocess.PIPE) as guard:
        assert guard.wait(60) == code


def test_all_that_was_started_ends_when_input_closes(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    with subprocess.Popen([*GUARD, "sh", "-c", BELOW.format(pids=pids)], stdin=subprocess.PIPE):
        started = pids_in(pids, 2)
        assert all(map(alive, started))
    eventually(started)


def test_all_that_was_started_ends_when_the_starter_is_killed(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = "import subprocess, sys; subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE).wait()"
    with subprocess.Popen([sys.executable, "-c", code, *GUARD, "sh", "-c", BELOW.format(pids=pids)]) as starter:
        started = pids_in(pids, 2)
        os.kill(starter.pid, signal.SIGKILL)
    eventually(started)
