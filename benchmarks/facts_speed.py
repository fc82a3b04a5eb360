"""Finding facts, in megabytes a second on one core: recorded text, and text made to be slow.

python benchmarks/facts_speed.py [PATH...]     (default: the shared recordings, or else the examples)
"""

import time

from runs import paths

from context_strategies.facts import facts_of
from context_strategies.trajectories import Refusal, read

HOSTILE = ("a", "a/", "_", "a.", "\0", "http://", "'a", "<keep>")
MEGABYTE = 1_000_000


def main() -> None:
    """Print the speeds."""
    runs = (run for run in read(paths()) if not isinstance(run, Refusal))
    texts = [message.text for run in runs for message in run.history.messages]
    print(f"recorded text: {speed(texts):.0f} MB/s")
    found, unit = min((speed([unit * (MEGABYTE // len(unit))]), unit) for unit in HOSTILE)
    print(f"a megabyte of {unit!r}, the slowest of the hostile: {found:.0f} MB/s")


def speed(texts: list[str]) -> float:
    """Millions of characters a second, the best of three."""
    times = []
    for _ in range(3):
        started = time.perf_counter()
        for text in texts:
            facts_of(text)
        times.append(time.perf_counter() - started)
    return sum(map(len, texts)) / MEGABYTE / min(times)


if __name__ == "__main__":
    main()
