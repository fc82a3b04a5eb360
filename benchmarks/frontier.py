"""Cost against availability of needed facts, over windows, schedules and numbers of facts kept, at five cache prices.

    python benchmarks/frontier.py [PATH...]     (default: the shared recordings, or else the examples)

Also draws docs/frontier.svg where matplotlib is installed.

Runs of at least 15 turns, automatic prefix caching without a minimum. Costs are relative to masking at its defaults
(window 10, break-even) on the same runs. Prints Markdown: the table, then the frontier at the dearest writes.
"""

from datetime import UTC, datetime
from importlib.util import find_spec

from runs import ROOT, Point, long_runs, point

from context_strategies.compare.schedules import COLUMNS
from context_strategies.replay import with_knowledge
from context_strategies.tokens import best_counter

BASE = "masking"
SPECS = [
    "masking:refresh=1",
    *(
        f"masking:window={window},refresh={refresh},keep_facts={facts}"
        for window, refresh in ((1, "1"), (2, "1"), (1, "break_even"), (3, "break_even"), (10, "break_even"))
        for facts in (0, 20, 40, 60)
    ),
]


def main() -> None:
    """Print the table."""
    counter = best_counter()
    runs = [with_knowledge(run) for run in long_runs(counter)]
    base = [point(runs, BASE, *column) for column in COLUMNS]
    names = ["no cache" if read == 1 else f"{read} / {write}" for read, write in COLUMNS]
    print(f"{len(runs)} runs, tokens by {counter.name}, {datetime.now(UTC):%Y-%m-%d}; cost of masking at its defaults,")
    print("in brackets needed facts shown and those of first use, %\n")
    print(f"| masking | {' | '.join(names)} |\n{'|---' * (len(names) + 1)}|")
    raw = [point(runs, "raw", *column).cost for column in COLUMNS]
    print(f"| defaults, cost of raw | {' | '.join(map(cell, base, raw))} |")
    points = {spec: [point(runs, spec, *column) for column in COLUMNS] for spec in SPECS}
    for spec, found_points in points.items():
        cells = [cell(one, default.cost) for one, default in zip(found_points, base, strict=True)]
        print(f"| {spec.removeprefix('masking:').replace(',', ', ')} | {' | '.join(cells)} |")
    if find_spec("matplotlib"):
        draw({"masking:window=10,refresh=break_even (defaults)": base, **points}, raw)


def draw(points: dict[str, list[Point]], raw: list[float]) -> None:
    """Each window and schedule as a curve over the facts kept, without a cache and at the dearest writes."""
    from matplotlib import pyplot as plt  # noqa: PLC0415 - only where it is drawn

    figure, panels = plt.subplots(1, 2, figsize=(11, 4.5), sharey=True)
    for panel, column, title in zip(panels, (0, -1), ("no cache", "cache read 0.1, write 1.25"), strict=True):
        curves: dict[str, list[tuple[float, float]]] = {}
        for spec, found in points.items():
            cost, shown = found[column].cost, found[column].shown
            curves.setdefault(spec.partition(",keep_facts")[0], []).append((cost / raw[column], shown))
        for name, curve in curves.items():
            costs, shares = zip(*curve, strict=True)
            panel.plot(costs, shares, marker="o", label=name.removeprefix("masking:"))
        panel.set_title(title)
        panel.set_xlabel("cost of raw")
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("needed facts shown")
    panels[1].legend(fontsize=8, loc="lower right")
    figure.tight_layout()
    figure.savefig(ROOT / "docs" / "frontier.svg", metadata={"Date": None})


def cell(found: Point, base: float) -> str:
    """One point as text."""
    return f"{found.cost / base:.3f} ({found.shown * 100:.1f}, {found.first_shown * 100:.1f})"


if __name__ == "__main__":
    main()
