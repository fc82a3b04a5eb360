"""The published results of "The Complexity Trap" (arXiv 2508.21433): its figures come out, and what it does not show.

They are read where they lie, beside the checkout.
"""

import csv
import json
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from context_strategies.cli import app
from context_strategies.compare.comparing import Design, compare
from context_strategies.compare.comparison import Comparison, Difference, Interval, Pair, Tested
from context_strategies.compare.outcomes import Arm, arm
from context_strategies.compare.outcomes_table import read_table

PAPER = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "complexity_trap"
TABLE = PAPER / "experiment_instance_costs_combined.csv"
pytestmark = pytest.mark.skipif(not TABLE.is_file(), reason="no ../shared/data/complexity_trap beside this checkout")

GEMINI = "gemini_2.5_flash-agent-t_0.8-"
THINKING = "gemini_2.5_flash_thinking-agent-t_0.8-"
QWEN = "local-qwen3-32b-"
QWEN_THINKING = "local-Qwen3-32B_thinking-"
CODER = "local-Qwen3-Coder_480B_A35B_Instruct_FP8-"
HYBRID = (
    "local-Qwen3-Coder_480B-agent-t_0.8-turn-summaries-t_0-summary_N_{}_M_10_obs_masking_M_10_combined.0-verified-50"
)
OPENHANDS = "gemini-2.5-flash_maxiter_250_N_v0.43.0-no-hint-"


def names(model: str) -> tuple[str, str, str]:
    """The experiments of ``model`` in SWE-agent: raw, masking, summary."""
    reasoning = "-collect_reasoning" if model == QWEN_THINKING else ""
    summary = "turn-summaries-t_0-N_21_M_10_openhands"
    heat = "" if "t_0.8" in model else "t_0.8-"
    ends = ("baseline_raw", "baseline_N_1_M_10", heat + summary)
    raw, masking, summary = (f"{model}{end}{reasoning}.0-verified-500" for end in ends)
    return raw, masking, summary


TABLE_1 = {
    # model: (solved in percent, half of its interval, $ a run, half of its interval, mean and median turns) of each
    GEMINI: ((32.8, 4.1, 0.41, 0.08, 50.1, 23), (35.6, 4.2, 0.18, 0.03, 43.9, 19), (36.0, 4.1, 0.24, 0.04, 51.7, 24)),
    THINKING: ((40.4, 4.3, 0.56, 0.10, 49.9, 23), (36.4, 4.2, 0.24, 0.04, 51.6, 20), (31.4, 4.0, 0.25, 0.05, 43.0, 18)),
    QWEN: ((17.0, 3.3, 1.12, 0.18, 52.0, 30), (15.0, 3.1, 0.55, 0.09, 59.9, 30), (16.0, 3.3, 0.50, 0.07, 49.4, 29)),
    QWEN_THINKING: (
        (23.0, 3.7, 0.51, 0.07, 20.3, 14),
        (24.6, 3.8, 0.46, 0.05, 21.3, 15),
        (24.8, 3.9, 0.51, 0.06, 21.6, 15),
    ),
    CODER: ((53.4, 4.3, 1.29, 0.26, 58.5, 49), (54.8, 4.4, 0.61, 0.06, 61.1, 53), (53.8, 4.2, 0.64, 0.06, 70.1, 53)),
}
COST_ELSEWHERE = {(THINKING, 2): "mean", (THINKING, 1): "interval", (CODER, 0): "interval"}
"""Cells whose cost the published runs do not give: a dear run or two of those the paper counted are not among them (or
one that it did not count is).
"""


@cache
def experiments() -> dict[str, Arm]:
    return {name: arm(name, outcomes) for name, outcomes in read_table(TABLE).experiments.items()}


@cache
def compared(*labels: str, of: int = 0, all_pairs: bool = False) -> Comparison:
    return compare([experiments()[label] for label in labels], Design(of=of, all_pairs=all_pairs))


def difference(base: str, other: str, quantity: Tested) -> Difference:
    return of(compared(base, other).pairs[0], quantity)


def of(pair: Pair, quantity: Tested) -> Difference:
    found = pair.of(quantity)
    assert found
    return found


def half(interval: Interval | None) -> float:
    assert interval
    return (interval.high - interval.low) / 2


def published(name: str) -> list[dict[str, str]]:
    if not TABLE.is_file():
        return []
    with (PAPER / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("strategy", [0, 1, 2], ids=["raw", "masking", "summary"])
@pytest.mark.parametrize("model", TABLE_1, ids=lambda model: model.strip("-"))
def test_table_1(model: str, strategy: int) -> None:
    solved, solved_half, cost, cost_half, turns, median = TABLE_1[model][strategy]
    label = compared(*names(model), of=500).labels[strategy]
    assert label.solved
    assert label.cost
    assert label.turns
    assert label.solved.of == 500
    assert round(100 * label.solved.share, 1) == solved
    assert round(100 * half(label.solved.interval), 1) == solved_half
    assert label.turns.mean == pytest.approx(turns, abs=0.051)
    assert label.turns.median == median
    elsewhere = COST_ELSEWHERE.get((model, strategy))
    assert label.cost.mean == pytest.approx(cost, abs=0.011 if elsewhere == "mean" else 0.005)
    assert half(label.cost.interval) == pytest.approx(cost_half, abs=0.011 if elsewhere else 0.005)


@pytest.mark.parametrize("row", published("bootstrapped_cis.csv"), ids=lambda row: row["experiment"])
def test_published_intervals_come_out_to_the_digit_on_the_same_instances(row: dict[str, str]) -> None:
    name = row["experiment"]
    model = next(model for model in TABLE_1 if name in names(model))
    label = compared(*names(model), of=500).label(name)
    assert label.solved
    assert label.cost
    assert label.solved.interval
    assert label.cost.interval
    ends = (label.solved.interval.low, label.solved.interval.high)
    costs = (label.cost.mean, label.cost.interval.low, label.cost.interval.high)
    if int(row["n_instances"]) == 500:
        # Instances without a run count as unsolved, and are drawn like any other.
        assert label.solved.share == pytest.approx(float(row["solve_rate"]))
        assert ends == pytest.approx([float(row["solve_rate_lo"]), float(row["solve_rate_hi"])], abs=1e-4)
    if label.cost.known == int(row["n_instances"]):
        assert costs == pytest.approx([float(row[f"mean_cost{end}"]) for end in ("", "_lo", "_hi")], abs=2e-4)
    elif label.cost.known < 500:
        # The paper's mean is over all 500: the runs that are not published must have cost the rest.
        rest = 500 * float(row["mean_cost"]) - label.cost.total
        dearest = max(one.cost or 0 for one in experiments()[name].outcomes)
        assert 0 < rest < (500 - label.cost.known) * dearest


def test_one_raw_run_of_the_coder_was_not_counted() -> None:
    raw = experiments()[names(CODER)[0]]
    counted = arm("counted", [one for one in raw.outcomes if one.cost])
    (row,) = (row for row in published("bootstrapped_cis.csv") if row["experiment"] == raw.label)
    (label,) = compare([counted]).labels
    assert label.instances == int(row["n_instances"]) == 499
    assert label.solved
    assert label.cost
    assert label.cost.interval
    assert label.solved.share == pytest.approx(float(row["solve_rate"]))
    assert label.cost.interval.high == pytest.approx(float(row["mean_cost_hi"]), abs=2e-4)


@pytest.mark.parametrize("row", published("paired_ci_diffs_vs_raw.csv"), ids=lambda row: row["experiment_other"])
def test_paired_differences(row: dict[str, str]) -> None:
    pair = compared(row["experiment_raw"], row["experiment_other"]).pairs[0]
    complete = pair.matched == 500
    for found, prefix, slack in ((of(pair, "solved"), "solve_rate", 0.0022), (of(pair, "cost"), "mean_cost", 0.009)):
        assert found.interval
        ends = [float(row[f"{prefix}_{end}"]) for end in ("diff", "lo", "hi")]
        assert [found.difference, found.interval.low, found.interval.high] == pytest.approx(
            ends, abs=5e-4 if complete else slack
        )
        theirs = float(row[f"{prefix}_p"])  # of the bootstrap, which is no test: near, and 0 where ours can't be
        assert found.p == pytest.approx(theirs, abs=0.05)


def test_after_holm_one_solve_rate_of_the_papers_two_differs() -> None:
    """The paper marks two of its ten solve rates as different from raw, at p < .05 each."""
    raw, masking, summary = names(THINKING)
    assert difference(raw, masking, "solved").p == pytest.approx(0.061, abs=0.001)
    pairs = compared(raw, masking, summary).pairs
    assert [of(pair, "solved").significant for pair in pairs] == [False, True]


def test_masking_against_summary_which_the_paper_does_not_test() -> None:
    found = {model: difference(*names(model)[:0:-1], "solved") for model in TABLE_1}
    assert found[THINKING].difference == pytest.approx(0.050, abs=0.002)
    assert found[THINKING].p == pytest.approx(0.011, abs=0.002)
    assert all(one.p > 0.3 for model, one in found.items() if model != THINKING)
    cost = difference(*names(GEMINI)[:0:-1], "cost")
    assert cost.difference == pytest.approx(-0.064, abs=0.001)
    assert cost.p == pytest.approx(0.005, abs=0.002)


def test_the_hybrid_on_its_own_fifty_instances_solves_no_more() -> None:
    raw, masking, summary = names(CODER)
    hybrid, naive = HYBRID.format(43), HYBRID.format(21)
    others = {raw: (0.737, 0.0), masking: (0.103, 0.195), summary: (0.239, 0.051), naive: (0.197, 0.048)}
    comparison = compared(hybrid, *others)
    for pair in comparison.pairs:
        solved, cost = of(pair, "solved"), of(pair, "cost")
        assert cost.ratio
        less, p = others[pair.other]
        assert pair.matched == solved.matched == 50
        assert round(50 * solved.base) == 28
        assert round(50 * solved.other) == (27 if pair.other == naive else 28)
        assert not solved.significant
        assert 1 - 1 / cost.ratio == pytest.approx(less, abs=0.001)
        assert cost.p == pytest.approx(p, abs=0.002)
        assert cost.significant == (pair.other == raw)
    assert sum("only 50 instances" in warning for warning in comparison.warnings) == 4


def test_elongation_is_told_against_the_baseline() -> None:
    """The paper divides by the longer run: 52 turns of a summary for 44 of masking are 18 % more, not 15 %."""
    _, masking, summary = names(GEMINI)
    turns = difference(masking, summary, "turns")
    assert turns.ratio == pytest.approx(1.18, abs=0.005)
    assert difference(*names(CODER)[1:], "turns").ratio == pytest.approx(1.15, abs=0.005)
    assert difference(names(CODER)[0], names(CODER)[2], "turns").ratio == pytest.approx(1.20, abs=0.005)
    assert difference(*names(CODER)[1:], "turns").ratio_of_medians == pytest.approx(1.0, abs=0.03)


def test_share_of_summaries_in_the_cost() -> None:
    shares = {GEMINI: 0.0671, THINKING: 0.0524, QWEN: 0.0286, QWEN_THINKING: 0.0065, CODER: 0.0720}
    for model, share in shares.items():
        assert compared(*names(model), of=500).labels[2].summaries == pytest.approx(share, abs=0.004)


ALL_500 = ("raw_agent-run_1", "llm_summary_N_21_M_10-summarizer_for_eval-run_1",
           "observation_masking-observation_masking_for_eval-run_1",
           "observation_masking-M_72-observation_masking_for_eval-run_1")  # fmt: skip


def test_openhands_on_all_instances_which_the_paper_does_not_report() -> None:
    raw, summary, masking_10, masking_72 = compared(*(OPENHANDS + end for end in ALL_500)).labels
    for label, solved, cost, turns in (
        (raw, 0.346, 2.311, 78.3), (summary, 0.372, 1.174, 105.8),
        (masking_10, 0.234, 1.206, 177.6), (masking_72, 0.364, 1.713, 85.9),
    ):  # fmt: skip
        assert label.instances == 500
        assert label.solved
        assert label.cost
        assert label.turns
        assert label.solved.share == pytest.approx(solved)
        assert label.cost.mean == pytest.approx(cost, abs=0.001)
        assert label.turns.mean == pytest.approx(turns, abs=0.05)
    dearer = difference(summary.label, masking_72.label, "cost")
    assert dearer.difference == pytest.approx(0.538, abs=0.001)  # 0.574 less the summaries' own 0.036
    assert dearer.p < 0.001
    assert difference(summary.label, masking_72.label, "solved").p > 0.5


def test_two_scaffolds_on_the_same_instances() -> None:
    raw, masking, summary = names(GEMINI)
    found = {
        strategy: compared(ours, OPENHANDS + theirs).pairs[0]
        for strategy, ours, theirs in (
            ("raw", raw, ALL_500[0]), ("summary", summary, ALL_500[1]),
            ("masking 10", masking, ALL_500[2]), ("masking 72", masking, ALL_500[3]),
        )
    }  # fmt: skip
    points = {name: round(100 * of(pair, "solved").difference, 1) for name, pair in found.items()}
    assert points == {"raw": 1.8, "summary": 1.0, "masking 10": -12.2, "masking 72": 0.8}
    ratios = {name: round(of(pair, "cost").ratio or 0, 1) for name, pair in found.items()}
    assert ratios == {"raw": 5.5, "summary": 4.9, "masking 10": 6.8, "masking 72": 9.7}
    longer = {name: round(of(pair, "turns").ratio or 0, 1) for name, pair in found.items()}
    assert longer == {"raw": 1.6, "summary": 2.0, "masking 10": 4.0, "masking 72": 2.0}


def test_a_table_of_many_experiments_on_the_command_line() -> None:
    done = CliRunner().invoke(
        app, ["compare", str(TABLE), "--json", "--resamples", "100", "--baseline", names(CODER)[0]]
    )
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert len(document["labels"]) == 32
    assert len(document["pairs"]) == 31
    assert sum(len(runs) for runs in document["outcomes"].values()) == 10_137
    assert document["tests"] == 93
