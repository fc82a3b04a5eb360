"""Reports of every kind, known by their content; and how runs ended that left nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_strategies.compare.verdicts import Verdicts, beside, statuses_in, verdict, verdicts_in


def written(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


SWE_BENCH = {
    "total_instances": 500,
    "resolved_instances": 1,
    "submitted_ids": ["a__a-1", "b__b-2", "c__c-3", "d__d-4"],
    "completed_ids": ["a__a-1", "b__b-2"],
    "incomplete_ids": ["d__d-4", "e__e-5"],
    "empty_patch_ids": ["c__c-3"],
    "resolved_ids": ["a__a-1"],
    "unresolved_ids": ["b__b-2"],
    "error_ids": [],
    "unremoved_images": ["sweb.eval.x:latest"],
    "schema_version": 2,
}


def test_a_report_of_swe_bench(tmp_path: Path) -> None:
    found = verdicts_in(written(tmp_path / "model.run.json", SWE_BENCH))
    assert found
    assert found.solved == {"a__a-1": True, "b__b-2": False, "c__c-3": False}
    assert found.of("d__d-4") is None
    assert found.of("e__e-5") is None


def test_a_list_of_the_solved_alone_speaks_for_all(tmp_path: Path) -> None:
    found = verdicts_in(written(tmp_path / "results.json", {"resolved": ["a__a-1"]}))
    assert found
    assert (found.of("a__a-1"), found.of("b__b-2")) == (True, False)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("report.json", {"a-1": {"patch_exists": True, "resolved": True, "tests_status": {}}}, {"a-1": True}),
        ("report.json", {"resolved": False}, {"a-1": False}),
        ("mine.json", {"resolved": {"a-1": True, "b-2": False}}, {"a-1": True, "b-2": False}),
        ("preds.json", {"a-1": {"model_patch": "", "instance_id": "a-1"}, "b-2": {"model_patch": "+x"}},
         {"a-1": False, "b-2": None}),
        ("preds.json", [{"model_patch": None, "instance_id": "a-1"}], {"a-1": False}),
    ],
)  # fmt: skip
def test_reports_of_single_instances(tmp_path: Path, name: str, value: Any, expected: dict[str, bool | None]) -> None:
    found = verdicts_in(written(tmp_path / "a-1" / name, value))
    assert found
    assert found.solved == expected
    assert found.of("another") is None


def test_lines_of_openhands_and_of_predictions(tmp_path: Path) -> None:
    lines = [
        {"instance_id": "a-1", "report": {"resolved": True}, "history": []},
        {"instance_id": "b-2", "test_result": {"report": {"resolved": False}}},
        {"instance_id": "c-3", "test_result": {"git_patch": ""}},
        {"instance_id": "d-4", "model_patch": "", "model_name_or_path": "m"},
    ]
    text = "\n".join([*map(json.dumps, lines), "no json", ""])
    found = verdicts_in(written(tmp_path / "output.jsonl", text))
    assert found
    assert found.solved == {"a-1": True, "b-2": False, "d-4": False}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["resolved", "resolved_ids", "instance_id", "report", "model_patch", "test_result", "x"]),
            inner,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_whatever_a_file_holds_it_gives_verdicts_or_none(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    folder = tmp_path_factory.getbasetemp()
    for name in ("any.json", "any.jsonl"):
        found = verdicts_in(written(folder / name, json.dumps(value)))
        assert found is None or all(said in {True, False, None} for said in found.solved.values())


def test_the_nearest_report_speaks_first() -> None:
    first, second = Verdicts("runs/1/results.json", {"a": True}), Verdicts("runs/2/results.json", {"a": False})
    assert verdict([second, first], "a", "runs/1/a/a.traj") is True
    assert verdict([first, second], "a", "runs/2/a/a.traj") is False
    assert verdict([first, second], "b") is None


def test_reports_beside_a_folder_are_named_after_it(tmp_path: Path) -> None:
    for name in ("gpt.run_1.json", "gpt.run_10.json", "swe-bench_verified__test__run_1.json", "other.json"):
        written(tmp_path / name, {})
    (tmp_path / "run_1").mkdir()
    assert {path.name for path in beside(tmp_path / "run_1")} == {
        "gpt.run_1.json",
        "swe-bench_verified__test__run_1.json",
    }


def test_reports_beside_a_file(tmp_path: Path) -> None:
    for name in ("output.jsonl", "output.report.json", "output.swebench_eval.jsonl", "report.json", "other.json"):
        written(tmp_path / name, {})
    names = {path.name for path in beside(tmp_path / "output.jsonl")}
    assert names == {"output.report.json", "output.swebench_eval.jsonl", "report.json"}


def test_how_a_batch_ended(tmp_path: Path) -> None:
    text = "instances_by_exit_status:\n  exit_cost:\n  - a-1\n  submitted: [b-2]\ntotal_cost: 1\n"
    written(tmp_path / "run_batch_exit_statuses.yaml", text)
    written(tmp_path / "exit_statuses_17.yaml", "instances_by_exit_status: {LimitsExceeded: [c-3], odd: 7}")
    written(tmp_path / "deep" / "exit_statuses_1.yaml", "a: [")
    assert statuses_in(tmp_path) == {"a-1": "exit_cost", "b-2": "submitted", "c-3": "LimitsExceeded"}
