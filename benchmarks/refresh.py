"""What each masking schedule costs, at five pairs of cache prices, against raw and the best schedule in hindsight.

    python benchmarks/refresh.py [PATH...]     (default: the shared recordings, or else the examples)

Runs of at least 15 turns, window 10, automatic prefix caching without a minimum. Prints a Markdown table.
"""

import time
from datetime import UTC, datetime

from runs import long_runs

from context_strategies.compare.schedules import BEST, COLUMNS, Cell, cells
from context_strategies.tokens import best_counter

NAMES = {"1": "every turn (the paper)", "10": "every 10 turns", "break_even": "break-even"}


def main() -> None:
    """Print the table."""
    started = time.perf_counter()
    counter = best_counter()
    runs = long_runs(counter)
    table = cells(runs, NAMES)
    turns = [run.trajectory.history.turns for run in runs]
    print(
        f"{len(runs)} runs of {min(turns)} to {max(turns)} turns, window 10, tokens by {counter.name}, "
        f"{datetime.now(UTC):%Y-%m-%d}; cost of raw, pooled (dearest run; runs dearer by over 2 %)\n"
    )
    print(
        "| schedule | " + " | ".join("no cache" if read == 1 else f"{read} / {write}" for read, write in COLUMNS) + " |"
    )
    print("|---" * (len(COLUMNS) + 1) + "|")
    for name in [*NAMES, BEST]:
        row = [cell for cell in table if cell.schedule == name]
        print(f"| {NAMES.get(name, name)} | " + " | ".join(map(_cell, row)) + " |")
    even = [cell for cell in table if cell.schedule == "break_even"]
    print("| break-even / best | " + " | ".join(f"{cell.of_best:.3f}" for cell in even) + " |")
    print(f"\n{time.perf_counter() - started:.1f} s")


def _cell(cell: Cell) -> str:
    return f"{cell.of_raw:.3f}" if cell.schedule == BEST else f"{cell.of_raw:.3f} ({cell.worst:.3f}; {cell.dearer})"


if __name__ == "__main__":
    main()
