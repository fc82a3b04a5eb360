"""Time of one masking step as a history grows to 4,000 turns, and how the total grows with the turns.

python benchmarks/step_time.py
"""

import time
from itertools import pairwise

import numpy as np

from context_strategies.history import Kind, Message
from context_strategies.session import Session
from context_strategies.strategies import choose

TURNS = 4_000


def main() -> None:
    """Print mean and slowest step, and the fit of total time against turns."""
    for spec in ("masking", "masking:refresh=1", "hybrid"):
        session = Session(choose(spec))
        session.feed([Message(Kind.SYSTEM, "system " * 500)])
        turns = [_turn(number) for number in range(TURNS)]
        marks = [time.perf_counter()]
        for turn in turns:
            session.feed(turn)
            session.context()
            marks.append(time.perf_counter())
        steps = np.array([after - before for before, after in pairwise(marks)])
        total = np.cumsum(steps)
        sizes = np.arange(1, TURNS + 1)
        slope, _ = np.polyfit(np.log(sizes[TURNS // 10 :]), np.log(total[TURNS // 10 :]), 1)
        print(
            f"{spec:18} mean {steps.mean() * 1e3:.3f} ms, slowest {steps.max() * 1e3:.2f} ms, total ~ turns^{slope:.2f}"
        )


def _turn(number: int) -> list[Message]:
    call = f"call_{number}"
    return [
        Message(Kind.ACTION, f"Look at file {number}.", call_ids=(call,)),
        Message(
            Kind.OBSERVATION, f"line of file {number}\n" * (20 + number % 80), call_ids=(call,), command=f"cat {number}"
        ),
    ]


if __name__ == "__main__":
    main()
