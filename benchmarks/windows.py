"""Availability of needed facts by masking window, beside published solve rates of OpenHands v0.43 at those windows.

    python benchmarks/windows.py [PATH...]     (default: the shared recordings, or else the examples)

Also draws docs/windows.svg where matplotlib is installed.

The window that OpenHands V0's own masking is given counts events, two a turn, and what is older loses its action too:
the first column. The second is masking that keeps actions, with half as many turns for its window.
"""

from importlib.util import find_spec
from typing import Literal

from runs import ROOT, long_runs

from context_strategies import Context, Keep, Settings, State, build
from context_strategies.cache import NoCache
from context_strategies.history import History
from context_strategies.replay import Weighed, replay, with_knowledge
from context_strategies.strategies import Strategy, choose
from context_strategies.terms import Terms
from context_strategies.tokens import best_counter

SOLVED = {
    10: "30 % / 23.4 %",
    20: "28 %",
    29: "32 %",
    43: "32 %",
    50: "32 %",
    54: "38 %",
    58: "44 %",
    72: "44 % / 36.4 %",
    86: "40 %",
}
"""Published solve rates, Verified-50 and where there is one Verified-500, one run each; raw: 40 % / 34.6 %."""

RAW = 40.0
"""Solved of the same 50 without any masking, in percent."""


class NewestTurns(Settings):
    """Only the newest turns, as OpenHands V0's own masking has it: actions gone with their observations."""

    type: Literal["newest_turns"] = "newest_turns"
    turns: int

    def render(self, state: State, history: History) -> Context:  # noqa: ARG002 - the protocol's
        """The task and the newest turns."""
        first = max(history.turns - self.turns, 0)
        return build(history, [Keep(0, history.start_of(1)), Keep(history.end_of(first), len(history))])


def main() -> None:
    """Print the table."""
    counter = best_counter()
    runs = [with_knowledge(run) for run in long_runs(counter)]
    v1 = [run for run in runs if run.trajectory.format == "openhands-v1"]
    print(f"{len(runs)} runs, {len(v1)} of them of OpenHands V1\n")
    print("| window (events) | turns | actions lost too: all / V1 | actions kept: all / V1 | solved of 50 / of 500 |")
    print("|---|---|---|---|---|")
    points: list[tuple[float, float, float]] = []
    for window, solved in SOLVED.items():
        turns = window // 2
        lossy, right = NewestTurns(turns=turns), choose(f"masking:window={turns},refresh=1")
        shares = [(available(runs, one), available(v1, one)) for one in (lossy, right)]
        cells = [f"{everywhere:.2f} / {there:.2f}" for everywhere, there in shares]
        print(f"| {window} | {turns} | {' | '.join(cells)} | {solved} |")
        points.append((shares[0][0], shares[1][0], float(solved.split()[0])))
    if find_spec("matplotlib"):
        draw(points)


def draw(points: list[tuple[float, float, float]]) -> None:
    """Solve rate over the facts shown, under the masking that was published and under one that keeps actions."""
    from matplotlib import pyplot as plt  # noqa: PLC0415 - only where it is drawn

    figure, panel = plt.subplots(figsize=(6.5, 4))
    lossy, right, solved = zip(*points, strict=True)
    panel.plot(lossy, solved, "o-", label="actions lost too (as published)")
    panel.plot(right, solved, "s--", label="actions kept, the same windows")
    panel.axhline(RAW, color="gray", linewidth=1, label="raw")
    panel.set_xlabel("needed facts shown, 25 other runs")
    panel.set_ylabel("solved of 50, %")
    panel.grid(alpha=0.3)
    panel.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(ROOT / "docs" / "windows.svg", metadata={"Date": None})


def available(runs: list[Weighed], strategy: Strategy) -> float:
    """The share of needed facts that are shown."""
    seen = [call.seen for run in runs for call in replay(run, strategy, Terms(), NoCache).calls]
    return sum(one.visible for one in seen) / max(sum(one.needed for one in seen), 1)


if __name__ == "__main__":
    main()
