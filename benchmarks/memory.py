"""Peak memory of replaying the largest recording, beside its size on disk.

python benchmarks/memory.py [FILE]     (default: the largest of the shared recordings or examples)
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
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


def main(path: Path) -> None:
    """Print the memory that the work adds to a process that has loaded everything."""
    done = subprocess.run([sys.executable, "-c", WORK, str(path)], check=True, capture_output=True, text=True)
    before, after = map(int, done.stdout.split())
    added, size = (after - before) * 1024, path.stat().st_size
    print(f"{path.name}: {size / 1e6:.1f} MB; memory added {added / 1e6:.1f} MB, {added / size:.1f} times its size")


if __name__ == "__main__":
    shared = ROOT.parent / "shared" / "data" / "trajectories"
    places = shared if shared.is_dir() else ROOT / "examples" / "recordings"
    largest = max(
        (p for p in places.rglob("*") if p.suffix in {".json", ".traj", ".jsonl"}), key=lambda p: p.stat().st_size
    )
    main(Path(sys.argv[1]) if sys.argv[1:] else largest)
