"""Every strategy beside the raw agent, without a cache and at the dearest writes: the table of docs/choosing.md.

    python benchmarks/choosing.py [PATH...]     (default: the shared recordings, or else the examples)

Runs of at least 15 turns, automatic prefix caching without a minimum. Where matplotlib is installed it also draws
docs/costs.svg, cost over cache prices.
"""

from datetime import UTC, datetime
from importlib.util import find_spec

from runs import ROOT, long_runs, point

from context_strategies.compare.schedules import COLUMNS
from context_strategies.replay import Weighed, with_knowledge
from context_strategies.tokens import best_counter

EARLY = "masking:window=1,refresh=1,keep_facts=40"
SPECS = ["raw", "masking", EARLY, "masking:refresh=1", "hybrid", "llm_summary", "rolling_summary", "truncation"]
CURVES = {"masking:refresh=1": "hidden every turn", "masking": "break-even", EARLY: "window 1, 40 facts kept"}


def main() -> None:
    """Print the table."""
    counter = best_counter()
    runs = [with_knowledge(run) for run in long_runs(counter)]
    ends = (COLUMNS[0], COLUMNS[-1])
    raw = [point(runs, "raw", *column) for column in ends]
    print(f"{len(runs)} runs, tokens by {counter.name}, {datetime.now(UTC):%Y-%m-%d}\n")
    print("| strategy | cost of raw, no cache | cost of raw, 0.1 / 1.25 | needed facts shown, % | largest request |")
    print("|---|---|---|---|---|")
    for spec in SPECS:
        points = [point(runs, spec, *column) for column in ends]
        costs = " | ".join(f"{one.cost / base.cost:.2f}" for one, base in zip(points, raw, strict=True))
        shown = ", ".join(dict.fromkeys(f"{one.shown * 100:.1f}" for one in points))
        print(f"| {spec} | {costs} | {shown} | {points[-1].peak:,} |")
    if find_spec("matplotlib"):
        draw(runs)


def draw(runs: list[Weighed]) -> None:
    """Cost of raw over the prices of cached tokens, a line a schedule."""
    from matplotlib import pyplot as plt  # noqa: PLC0415 - only where it is drawn

    figure, panel = plt.subplots(figsize=(7.5, 3.6))
    names = ["no cache" if read == 1 else f"{read:g} / {write:g}" for read, write in COLUMNS]
    raw = [point(runs, "raw", *column).cost for column in COLUMNS]
    panel.axhline(1, color="0.5", linewidth=1, linestyle="--")
    panel.annotate("raw agent", (0, 1), xytext=(0, 4), textcoords="offset points", color="0.4", fontsize=9)
    for (spec, label), color in zip(CURVES.items(), ("#c0392b", "#1f6f8b", "#2e8b57"), strict=True):
        costs = [point(runs, spec, *column).cost / base for column, base in zip(COLUMNS, raw, strict=True)]
        panel.plot(names, costs, marker="o", color=color)
        panel.annotate(label, (len(names) - 1, costs[-1]), xytext=(8, -3), textcoords="offset points", color=color)
    panel.set_xlim(-0.2, len(names) + 0.6)
    panel.set_ylim(0, 1.6)
    panel.set_ylabel("cost of raw")
    panel.set_xlabel("price of a cached token, read / write (input = 1)")
    panel.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(ROOT / "docs" / "costs.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
