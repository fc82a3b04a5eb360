"""Every strategy beside the raw agent, without a cache and at the dearest writes: the table of docs/choosing.md.

    python benchmarks/choosing.py [PATH...]     (default: the shared recordings, or else the examples)

Runs of at least 15 turns, automatic prefix caching without a minimum. Where matplotlib is installed it also draws
docs/costs.svg, cost over cache prices.
"""

import sys
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

from context_strategies.cache import Automatic
from context_strategies.compare.schedules import COLUMNS
from context_strategies.prices import relative
from context_strategies.replay import Weighed, replay, weigh, with_knowledge
from context_strategies.strategies import choose
from context_strategies.terms import terms_for
from context_strategies.tokens import best_counter
from context_strategies.trajectories import Refusal, read

ROOT = Path(__file__).resolve().parents[1]
SHORTEST = 15
EARLY = "masking:window=1,refresh=1,keep_facts=40"
SPECS = ["raw", "masking", EARLY, "masking:refresh=1", "hybrid", "llm_summary", "rolling_summary", "truncation"]
CURVES = {"masking:refresh=1": "hidden every turn", "masking": "break-even", EARLY: "window 1, 40 facts kept"}

Point = tuple[float, float, int]


def point(runs: list[Weighed], spec: str, read: float, write: float) -> Point:
    """Cost in dollars, the share of needed facts shown, and the largest request in tokens."""
    prices, strategy = relative(read, write), choose(spec)
    done = [replay(run, strategy, terms_for(strategy, prices), lambda: Automatic(prices)) for run in runs]
    seen = [call.seen for one in done for call in one.calls]
    shown = sum(one.visible for one in seen) / sum(one.needed for one in seen)
    return sum(one.cost for one in done), shown, max(one.peak for one in done)


def main(paths: list[Path]) -> None:
    """Print the table."""
    counter = best_counter()
    found = (run for run in read(paths) if not isinstance(run, Refusal))
    runs = [with_knowledge(weigh(run, counter)) for run in found if run.history.turns >= SHORTEST]
    ends = (COLUMNS[0], COLUMNS[-1])
    raw = [point(runs, "raw", *column) for column in ends]
    print(f"{len(runs)} runs, tokens by {counter.name}, {datetime.now(UTC):%Y-%m-%d}\n")
    print("| strategy | cost of raw, no cache | cost of raw, 0.1 / 1.25 | needed facts shown, % | largest request |")
    print("|---|---|---|---|---|")
    for spec in SPECS:
        points = [point(runs, spec, *column) for column in ends]
        costs = " | ".join(f"{one[0] / base[0]:.2f}" for one, base in zip(points, raw, strict=True))
        shown = ", ".join(dict.fromkeys(f"{one[1] * 100:.1f}" for one in points))
        print(f"| {spec} | {costs} | {shown} | {points[-1][2]:,} |")
    if find_spec("matplotlib"):
        draw(runs)


def draw(runs: list[Weighed]) -> None:
    """Cost of raw over the prices of cached tokens, a line a schedule."""
    from matplotlib import pyplot as plt  # noqa: PLC0415 - only where it is drawn

    figure, panel = plt.subplots(figsize=(7.5, 3.6))
    names = ["no cache" if read == 1 else f"{read:g} / {write:g}" for read, write in COLUMNS]
    raw = [point(runs, "raw", *column)[0] for column in COLUMNS]
    panel.axhline(1, color="0.5", linewidth=1, linestyle="--")
    panel.annotate("raw agent", (0, 1), xytext=(0, 4), textcoords="offset points", color="0.4", fontsize=9)
    for (spec, label), color in zip(CURVES.items(), ("#c0392b", "#1f6f8b", "#2e8b57"), strict=True):
        costs = [point(runs, spec, *column)[0] / base for column, base in zip(COLUMNS, raw, strict=True)]
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
    shared = ROOT.parent / "shared" / "data" / "trajectories"
    main([Path(path) for path in sys.argv[1:]] or [shared if shared.is_dir() else ROOT / "examples" / "recordings"])
