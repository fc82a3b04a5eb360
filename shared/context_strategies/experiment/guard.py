"""``python -m context_strategies.experiment.guard COMMAND...``: a command that does not outlive who started it.

When standard input closes, because the starter closed it or is no more, the command and all that it has started end.
The exit code is the command's. Standard library only: one of these is started for each cell.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from shutil import which

PROC = Path("/proc")
GRACE = 5.0
"""Seconds between asking to end and ending."""


def main() -> int:
    """Run the command of this process's arguments; gives its exit code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started this decides, and closes standard input
    ending = threading.Event()
    with subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, start_new_session=True) as child:  # noqa: S603 - its purpose
        watch = threading.Thread(target=_end_with_input, args=(child, ending), daemon=True)
        watch.start()
        code = child.wait()
    if ending.is_set():
        watch.join()
    return code if code >= 0 else 128 - code


def _end_with_input(child: "subprocess.Popen[bytes]", ending: threading.Event) -> None:
    while os.read(sys.stdin.fileno(), 1_024):  # not sys.stdin.read, whose lock a thread would keep at exit
        pass
    ending.set()
    below = _below(child.pid)  # now: whose parent has ended is nobody's child
    _signal(child.pid, below, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        child.wait(GRACE)
    _signal(child.pid, below, signal.SIGKILL)


def _below(pid: int) -> list[int]:
    """Every process that ``pid`` has started, and that those have: a scaffold starts commands in their own sessions."""
    children: dict[int, list[int]] = {}
    for one, parent in _processes():
        children.setdefault(parent, []).append(one)
    found = [pid]
    for one in found:
        found += children.get(one, [])
    return found[1:]


def _processes() -> Iterator[tuple[int, int]]:
    """Each process with its parent, as the system's files tell, or ``ps``; none where there is neither."""
    if (PROC / "self" / "stat").exists():
        for stat in PROC.glob("[0-9]*/stat"):
            with suppress(OSError):  # it has just ended
                fields = stat.read_text(errors="replace").rpartition(")")[2].split()  # behind its name: state, parent
                yield int(stat.parent.name), int(fields[1])
    elif ps := which("ps"):
        words = [ps, "-A", "-o", "pid=,ppid="]
        listed = subprocess.run(words, capture_output=True, text=True, check=False).stdout  # noqa: S603 - fixed words
        for line in listed.splitlines():
            one, parent = map(int, line.split())
            yield one, parent


def _signal(leader: int, below: list[int], number: signal.Signals) -> None:
    """Signal the group that ``leader`` leads, and each of ``below``, which may be in others."""
    for signal_one, pid in ((os.killpg, leader), *((os.kill, pid) for pid in below)):
        with suppress(ProcessLookupError, PermissionError):
            signal_one(pid, number)


if __name__ == "__main__":
    sys.exit(main())
