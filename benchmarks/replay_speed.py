"""Replaying six strategies, beside the floor: reading and tokenizing the same runs once.

    python benchmarks/replay_speed.py [PATH...]     (default: the shared recordings, or else the examples)

Both in this process, one after the other, the best of three.
"""

import time
from collections.abc import Callable

from runs import paths

from context_strategies.cache import Automatic
from context_strategies.prices import relative
from context_strategies.replay import Weighed, replay, weigh
from context_strategies.strategies import choose, strategy_classes
from context_strategies.terms import terms_for
from context_strategies.tokens import best_counter
from context_strategies.trajectories import Refusal, read


def best_of_three(work: Callable[[], object]) -> float:
    """Seconds of the fastest of three."""
    times = []
    for _ in range(3):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def main() -> None:
    """Print both times and their ratio."""
    counter = best_counter()
    counter.count(["warm"])

    def load() -> list[Weighed]:
        return [weigh(run, counter) for run in read(paths()) if not isinstance(run, Refusal)]

    def strategies(runs: list[Weighed]) -> None:
        prices = relative()
        for name in strategy_classes():
            strategy = choose(name)
            for run in runs:
                replay(run, strategy, terms_for(strategy, prices), lambda: Automatic(prices))

    floor = best_of_three(load)
    whole = best_of_three(lambda: strategies(load()))
    print(f"reading and tokenizing {floor:.2f} s; with six strategies {whole:.2f} s; {whole / floor:.2f} times")


if __name__ == "__main__":
    main()
