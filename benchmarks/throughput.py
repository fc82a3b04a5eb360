"""Thousands of recorded runs: how many a second and a core, and how memory grows with their number.

    python benchmarks/throughput.py [PATH [RUNS...]]    (default: the shared recordings, or else the examples; 1,000
                                                        and 10,000 runs)

Speed is measured on every recording under PATH, memory on those of at most 70 KB: linked into a temporary folder again
and again until there are so many files, and replayed by the command under the seven strategies of its default. A core's
seconds are CPU time, so that other work on the machine counts little. Peaks are the kernel's (VmHWM), read while the
command runs. Linux alone.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from runs import ROOT, paths

COMMAND = [sys.executable, "-c", "from context_strategies.cli import main; main()", "replay"]
FLOOR = """
import sys
from pathlib import Path
from context_strategies.replay import weigh
from context_strategies.tokens import best_counter
from context_strategies.trajectories import Refusal, read
counter = best_counter()
for run in read([Path(sys.argv[1])]):
    if not isinstance(run, Refusal):
        weigh(run, counter)
"""
SMALL = 70_000
SPEED = 200
"""Files that speed is measured on."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A command's wall clock and CPU time in seconds, and its peak memory and its largest child's in bytes."""

    seconds: float
    cpu: float
    parent: int
    worker: int


def measured(command: list[str]) -> Measured:
    """Run ``command`` to its end; ``RuntimeError`` where it fails, which takes less time than work."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'shared'}{os.pathsep}{ROOT}"}
    with tempfile.TemporaryFile("w+", errors="replace") as said:
        started = time.perf_counter()
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=said)
        peaks: dict[int, int] = {}
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            for each in (process.pid, *children(process.pid)):
                peaks[each] = max(peaks.get(each, 0), peak(each))
            time.sleep(0.2)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)  # it has been waited for
        if process.returncode:
            said.seek(0)
            raise RuntimeError(f"exit code {process.returncode}: {said.read().strip()[-500:]}")
    parent = peaks.pop(process.pid, 0)
    return Measured(seconds, usage.ru_utime + usage.ru_stime, parent, max(peaks.values(), default=0))


def children(pid: int) -> list[int]:
    """The processes that ``pid`` has started."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += map(int, task.read_text().split())
        except OSError:
            continue
    return found


def peak(pid: int) -> int:
    """The most memory that ``pid`` has had so far, in bytes; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


def recordings(path: Path) -> Iterator[Path]:
    """Files under ``path`` that are runs by themselves."""
    for file in sorted(path.rglob("*")):
        if file.suffix == ".traj" or file.name.endswith(".traj.json"):
            yield file


def repeated(files: list[Path], count: int, folder: Path) -> Path:
    """A folder of ``count`` files that are ``files`` again and again, each copied once and then linked."""
    folder.mkdir()
    for number in range(count):
        source = files[number % len(files)]
        first = folder / f"{number % len(files)}-0{source.suffix}"
        if number < len(files):
            shutil.copy(source, first)
        else:
            os.link(first, folder / f"{number % len(files)}-{number // len(files)}{source.suffix}")
    return folder


def main(path: Path, counts: list[int]) -> None:
    """Print a table of speeds and one of peaks."""
    files = list(recordings(path))
    small = [file for file in files if file.stat().st_size <= SMALL] or files
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        folder = repeated(files, SPEED, place / "all")
        mean = sum(file.stat().st_size for file in folder.iterdir()) / SPEED
        print(f"{SPEED} files, {len(files)} recordings of {mean / 1e3:,.0f} KB on average\n")
        print("| | runs a second | of a core | CPU, against reading and tokenizing |\n|---|---|---|---|")
        floor = measured([sys.executable, "-c", FLOOR, str(folder)])
        print(f"| reading and tokenizing | {SPEED / floor.seconds:.1f} | {SPEED / floor.cpu:.1f} | 1.00 |", flush=True)
        for jobs in (1, 2):
            took = measured([*COMMAND, str(folder), "--jobs", str(jobs)])
            label = f"seven strategies, {jobs} process{'es' * (jobs > 1)}"
            print(
                f"| {label} | {SPEED / took.seconds:.1f} | {SPEED / took.cpu:.1f} | {took.cpu / floor.cpu:.2f} |",
                flush=True,
            )
        print("\n| small runs | runs a second | of a core | peak, parent | peak, a worker |\n|---|---|---|---|---|")
        for count in counts:
            folder = repeated(small, count, place / f"{count}")
            took = measured([*COMMAND, str(folder), "--jobs", "2", "--out", str(place / f"out-{count}"), "--json"])
            print(
                f"| {count:,} | {count / took.seconds:.1f} | {count / took.cpu:.1f} | {took.parent / 1e6:.0f} MB | "
                f"{took.worker / 1e6:.0f} MB |",
                flush=True,
            )


if __name__ == "__main__":
    main(paths()[0], [int(count) for count in sys.argv[2:]] or [1_000, 10_000])
