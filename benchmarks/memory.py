"""Peak memory of replaying the largest recording, beside its size on disk.

python benchmarks/memory.py [PATH]     (a file, or a folder; default: the shared recordings, or else the examples)
"""

import subprocess
import sys
from pathlib import Path

from runs import paths

WORK = """
import resource, sys
from pathlib import Path
from context_strategies.cache import Automatic
from context_strategies.prices import relative
from context_strategies.replay import replay, weigh
from context_strategies.strategies import choose, strategy_classes
from context_strategies.terms import Terms
from context_strategies.tokens import best_counter
from context_strategies.trajectories import Refusal, read
counter = best_counter(); counter.count(["warm"] * 16); prices = relative()
[choose(name) for name in strategy_classes()]
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for run in read([Path(path) for path in sys.argv[1:]]):
    weighed = weigh(run, counter)
    for name in strategy_classes():
        replay(weighed, choose(name), Terms(prices), lambda: Automatic(prices))
print(before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def largest(path: Path) -> Path:
    """The largest recording in a folder; of a file, itself."""
    files = [file for file in path.rglob("*") if file.suffix in {".json", ".traj", ".jsonl"}]
    return path if path.is_file() else max(files, key=lambda file: file.stat().st_size)


def main() -> None:
    """Print the memory that the work adds to a process that has loaded everything."""
    path = largest(paths()[0])
    done = subprocess.run([sys.executable, "-c", WORK, str(path)], check=True, capture_output=True, text=True)
    before, after = map(int, done.stdout.split())
    added, size = (after - before) * 1024, path.stat().st_size
    print(f"{path.name}: {size / 1e6:.1f} MB; memory added {added / 1e6:.1f} MB, {added / size:.1f} times its size")


if __name__ == "__main__":
    main()
