"""What a comparison says of runs that can be reckoned by hand, and what holds of any."""

import json
import random
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from typer.testing import CliRunner

from context_strategies.cli import app
from context_strategies.compare.comparing import Design, compare
from context_strategies.compare.comparison import Comparison, Difference, Tested, as_json
from context_strategies.compare.comparison_files import files
from context_strategies.compare.comparison_show import print_comparison
from context_strategies.compare.outcomes import Arm, Outcome, arm
from context_strategies.compare.statistics import Resampling
from context_strategies.errors import ConfigError

QUICK = Design(how=Resampling(resamples=200))


def runs(label: str, *outcomes: tuple[bool | None, float | None, int | None], start: int = 0) -> Arm:
    """Instances i-0, i-1 ... with what was solved, spent and taken."""
    return arm(label, [Outcome(f"i-{number}", *one[:2], None, one[2]) for number, one in enumerate(outcomes, start)])


def difference(comparison: Comparison, quantity: Tested, pair: int = 0) -> Difference:
    found = comparison.pairs[pair].of(quantity)
    assert found
    return found


RAW = runs("raw", (True, 4.0, 10), (False, 2.0, 20), (False, 1.0, 30), (True, 1.0, 40))
MASKING = runs("masking", (True, 1.0, 12), (True, 1.0, 20), (True, 1.0, 36), (False, 1.0, 44))


def test_a_pair_by_hand() -> None:
    comparison = compare([RAW, MASKING], QUICK)
    solved, cost, turns = (difference(comparison, quantity) for quantity in ("solved", "cost", "turns"))
    assert (solved.base, solved.other, solved.difference) == (0.5, 0.75, 0.25)
    assert (solved.gained, solved.lost, solved.p, solved.method) == (2, 1, 1.0, "McNemar, exact")
    assert (cost.base, cost.other, cost.ratio, cost.ratio_of_medians) == (2.0, 1.0, 0.5, 1 / 1.5)
    assert (cost.p, cost.effect) == (0.5, -1.0)  # two pairs differ, and half of their four sign flips are as far
    assert turns.ratio == 112 / 100
    assert turns.ratio_of_medians == 28 / 25
    assert (turns.p, turns.effect) == (0.25, 1.0)
    assert (comparison.tests, comparison.baseline) == (3, "raw")
    assert [one.adjusted for one in (solved, cost, turns)] == [1.0, 1.0, 0.75]


def test_a_label_by_hand() -> None:
    raw = compare([RAW], QUICK).labels[0]
    assert raw.solved
    assert raw.cost
    assert (raw.solved.known, raw.solved.of, raw.solved.solved, raw.solved.share) == (4, 4, 2, 0.5)
    assert (raw.cost.total, raw.cost.mean, raw.cost.median, raw.cost.lower, raw.cost.upper) == (8, 2, 1.5, 1, 2.5)
    of_eight = compare([RAW], replace(QUICK, of=8)).labels[0].solved
    assert of_eight
    assert (of_eight.known, of_eight.of, of_eight.share) == (4, 8, 0.25)


def test_shares_are_over_the_runs_that_have_both() -> None:
    one = Outcome("a", None, 2.0, 0.5, 3, 100, 40, 5, contexts=4, hidden=1, exit_status="submitted", model="m")
    label = compare([arm("x", [one, Outcome("b", cost=10.0, prompt=900)])], QUICK).labels[0]
    assert (label.cached, label.summaries, label.hidden) == (0.4, 0.25, 0.25)
    assert label.exits == {"submitted": 1, "not recorded": 1}
    assert label.solved is None


def test_several_runs_of_an_instance_count_once() -> None:
    twice = arm("twice", [*RAW.outcomes, *[replace(one, solved=True) for one in RAW.outcomes]])
    comparison = compare([RAW, twice], QUICK)
    solved = difference(comparison, "solved")
    assert (solved.matched, solved.other, solved.method, solved.gained) == (4, 0.75, "sign flips", None)
    label = comparison.labels[1]
    assert (label.instances, label.runs) == (4, 8)
    assert not any("run once" in warning for warning in comparison.warnings)


def test_only_matched_instances_are_compared_and_the_others_named() -> None:
    late = runs("late", (True, 1.0, 5), (True, 1.0, 5), (True, None, 5), start=2)
    comparison = compare([RAW, late], QUICK)
    pair = comparison.pairs[0]
    assert (pair.matched, pair.only_base, pair.only_other) == (2, ("i-0", "i-1"), ("i-4",))
    assert difference(comparison, "cost").matched == 2
    assert comparison.warnings[1] == (
        "late and raw share 2 instances, and only these are compared; 2 only in raw (i-0, i-1), 1 only in late (i-4)."
    )
    assert "late: cost unknown for 1 of 3 instances." in comparison.warnings


def test_labels_that_share_nothing_have_no_test() -> None:
    comparison = compare([RAW, runs("far", (True, 1.0, 5), start=90)], QUICK)
    assert comparison.pairs[0].differences == ()
    (said,) = (warning for warning in comparison.warnings if "share no instance" in warning)
    assert said == "far and raw share no instance, by their ids (as i-0 of raw and i-90 of far): nothing is compared."
    assert comparison.tests == 0


def test_warnings_tell_what_is_missing() -> None:
    bare = arm("bare", [Outcome("i-0", model="gpt-5"), Outcome("i-1", turns=3, model="gpt-5")])
    told = compare([arm("raw", [replace(one, model="o3") for one in RAW.outcomes]), bare], QUICK).warnings
    assert "bare: no verdicts on its 2 runs: nothing is known of what it solved." in told
    assert "bare: cost unknown for 2 of 2 instances." in told
    assert "bare: number of turns unknown for 1 of 2 instances." in told
    assert "bare against raw: only 2 instances." in told
    assert any("Models, and so prices, differ (raw: o3; bare: gpt-5)" in line for line in told)
    assert any(line.startswith("Every instance was run once") for line in told)


def test_findings_say_what_is_not_significant() -> None:
    solved, cost, turns = compare([RAW, MASKING], QUICK).findings
    start, end = "masking against raw, ", ": not significant (p {}, {} after Holm)."
    assert solved == f"{start}solved 75.0% and 50.0%, +25.0 points [-50.0, +100.0]{end.format(1, 1)}"
    assert cost == f"{start}$1.000 and $2.000 a run, -1.000 [-2.500, +0.000], -50%{end.format(0.5, 1)}"
    medians = "medians 28 and 25, +12%"
    assert turns == f"{start}28.0 and 25.0 turns, +3.0 [+1.0, +5.0], +12%, {medians}{end.format(0.25, 0.75)}"


def test_a_large_difference_is_said_to_be_one() -> None:
    base = runs("base", *[(False, 2.0, 30)] * 40)
    better = runs("better", *[(True, 1.0, 20)] * 40)
    said = [line.partition(": ")[2].partition(" (")[0] for line in compare([base, better], QUICK).findings]
    assert said == ["more", "cheaper", "shorter"]


def test_every_pair_once() -> None:
    arms = [RAW, MASKING, replace(RAW, label="third")]
    assert [(pair.base, pair.other) for pair in compare(arms, replace(QUICK, all_pairs=True)).pairs] == [
        ("raw", "masking"), ("raw", "third"), ("masking", "third"),
    ]  # fmt: skip
    against = compare(arms, replace(QUICK, baseline="third"))
    assert [(pair.base, pair.other) for pair in against.pairs] == [("third", "raw"), ("third", "masking")]
    assert [label.label for label in against.labels] == ["raw", "masking", "third"]


def test_what_can_not_be_compared() -> None:
    with pytest.raises(ConfigError, match="nothing to compare"):
        compare([], QUICK)
    with pytest.raises(ConfigError, match="--baseline x: choose one of: raw, masking"):
        compare([RAW, MASKING], replace(QUICK, baseline="x"))
    with pytest.raises(ConfigError, match="--of 3: there are runs of 4 instances"):
        compare([RAW], replace(QUICK, of=3))


OUTCOMES = st.lists(
    st.tuples(
        st.none() | st.booleans(),
        st.none() | st.integers(0, 8).map(lambda n: n / 4),
        st.none() | st.integers(0, 50),
    ),
    min_size=1,
    max_size=15,
)
FEW = Design(how=Resampling(resamples=100))


@given(OUTCOMES, OUTCOMES, st.randoms())
@settings(max_examples=30)
def test_the_order_of_runs_changes_nothing(
    base: list[tuple[bool | None, float | None, int | None]],
    other: list[tuple[bool | None, float | None, int | None]],
    order: random.Random,
) -> None:
    arms = [runs("a", *base), runs("b", *other)]
    mixed = [arm(one.label, order.sample(one.outcomes, len(one.outcomes))) for one in arms]
    assert asdict(compare(mixed, FEW)) == asdict(compare(arms, FEW))


@given(OUTCOMES)
@settings(max_examples=30)
def test_the_same_runs_do_not_differ(outcomes: list[tuple[bool | None, float | None, int | None]]) -> None:
    for one in compare([runs("a", *outcomes), runs("b", *outcomes)], FEW).pairs[0].differences:
        assert (one.difference, one.p, one.adjusted, one.significant) == (0, 1, 1, False)
        assert one.effect == (1 if one.quantity == "solved" else 0)


@given(OUTCOMES, OUTCOMES)
@settings(max_examples=30)
def test_the_other_way_round_is_the_opposite(
    base: list[tuple[bool | None, float | None, int | None]],
    other: list[tuple[bool | None, float | None, int | None]],
) -> None:
    one, back = runs("a", *base), runs("b", *other)
    there, again = compare([one, back], FEW).pairs[0], compare([back, one], FEW).pairs[0]
    for left, right in zip(there.differences, again.differences, strict=True):
        assert left.difference == pytest.approx(-right.difference)
        assert left.p == pytest.approx(right.p)
        assert (left.gained, left.lost) == (right.lost, right.gained)


@given(OUTCOMES, OUTCOMES)
@settings(max_examples=20)
def test_any_comparison_can_be_shown_and_written(
    base: list[tuple[bool | None, float | None, int | None]],
    other: list[tuple[bool | None, float | None, int | None]],
) -> None:
    comparison = compare([runs("[red]a", *base), runs("b\x1b[31m", *other)], FEW)
    assert json.loads(json.dumps(as_json(comparison), allow_nan=False))
    assert all(text.endswith("\n") for text in files(comparison).values())
    console = Console(width=100, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123 - closed with it
    print_comparison(console, comparison)
    shown = console.export_text()
    assert "[red]a" in shown
    assert "\x1b" not in shown


TABLE = "experiment,instance_id,cost,outcome,turns\n" + "".join(
    f"{label},i-{number},{cost},{number % 2},{10 + number}\n"
    for label, cost in (("raw", 2), ("masking", 1))
    for number in range(20)
)


def test_the_command(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text(TABLE, encoding="utf-8")
    out = tmp_path / "out"
    done = CliRunner().invoke(app, ["compare", str(table), "--resamples", "200", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "masking against raw, 20 matched instances" in done.stdout
    assert "cheaper" in done.stdout
    tables = {"comparison.json", "comparison.csv", "tests.csv", "outcomes.csv"}
    assert {path.name for path in out.iterdir()} == {*tables, "solved.svg", "lengths.svg", "costs.svg"}
    document = json.loads((out / "comparison.json").read_text())
    assert document["pairs"][0]["differences"][1]["ratio"] == 0.5
    again = CliRunner().invoke(app, ["compare", str(out / "outcomes.csv"), "--resamples", "200", "--json"])
    assert json.loads(again.stdout)["pairs"] == document["pairs"]
    as_csv = CliRunner().invoke(app, ["compare", str(table), "--resamples", "200", "--csv"])
    assert as_csv.stdout == (out / "comparison.csv").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["nowhere"], 2, "context-strategies: nowhere: no such file or folder"),
        (["{table}", "--baseline", "x"], 2, "--baseline x: choose one of: raw, masking"),
        (["x={table}#none"], 2, "choose one of: raw, masking"),
        (["{table}", "x={bad}"], 1, "bad.csv:3: "),
    ],
)
def test_bad_input_is_one_line(tmp_path: Path, arguments: list[str], code: int, said: str) -> None:
    table, bad = tmp_path / "t.csv", tmp_path / "bad.csv"
    table.write_text(TABLE, encoding="utf-8")
    bad.write_text("instance_id,cost\ni-1,2\ni-2,much\n", encoding="utf-8")
    given = [one.format(table=table, bad=bad) for one in arguments]
    done = CliRunner().invoke(app, ["compare", *given, "--resamples", "100"])
    assert done.exit_code == code
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
