"""Outcomes of folders, tables and labels as users have them."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from context_strategies.compare.comparing import compare
from context_strategies.compare.comparison_files import outcomes_csv
from context_strategies.compare.measured import Measured, named
from context_strategies.compare.measured import measured as measured_of
from context_strategies.compare.outcomes import Arm, Outcome, arm, values
from context_strategies.compare.outcomes_folder import read_runs
from context_strategies.compare.outcomes_table import read_table
from context_strategies.errors import ConfigError

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ROOT / "examples" / "recordings"


def written(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def mini(instance: str, *, turns: int = 2, cost: float = 0.5, status: str = "Submitted") -> dict[str, Any]:
    """A run of mini-swe-agent as it is stored."""
    usage = {"prompt_tokens": 1_000, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 400}}
    answer = {"role": "assistant", "content": "```bash\nls\n```", "extra": {"response": {"usage": usage}}}
    talk = [answer, {"role": "user", "content": "<returncode>0</returncode>"}] * turns
    return {
        "instance_id": instance,
        "info": {"exit_status": status, "submission": "", "model_stats": {"instance_cost": cost},
                 "config": {"model": {"model_name": "gpt-5-mini"}}},
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "task"}, *talk],
    }  # fmt: skip


def swe_agent(instance: str, cost: float = 0.3) -> dict[str, Any]:
    """A run of SWE-agent as it is stored."""
    history = [
        {"role": "system", "content": "s", "agent": "main", "message_type": "system_prompt"},
        {"role": "user", "content": "task", "agent": "main", "message_type": "observation"},
        {"role": "assistant", "content": "look", "action": "ls", "agent": "main", "message_type": "action"},
        {"role": "user", "content": "a.py", "agent": "main", "message_type": "observation"},
    ]
    config = json.dumps({"problem_statement": {"id": instance}, "agent": {"model": {"name": "gpt-5"}}})
    stats = {"instance_cost": cost, "api_calls": 2, "tokens_sent": 700, "tokens_received": 30}
    info = {"exit_status": "submitted", "model_stats": stats}
    return {"trajectory": [{}], "history": history, "info": info, "replay_config": config}


def measured(arguments: list[str]) -> Measured:
    return measured_of(map(named, arguments))


def by_instance(folder: Path) -> dict[str, Outcome]:
    found = read_runs([folder])
    assert not found.refusals
    return {one.instance: one for one in found.outcomes()}


def test_a_batch_of_mini_swe_agent(tmp_path: Path) -> None:
    for instance in ("a-1", "b-2"):
        written(tmp_path / instance / f"{instance}.traj.json", mini(instance))
    patches = {name: {"model_patch": patch} for name, patch in (("a-1", "+"), ("b-2", ""), ("c-3", "+"))}
    written(tmp_path / "preds.json", patches)
    written(tmp_path / "exit_statuses_1.yaml", "instances_by_exit_status: {Crashed: [c-3, d-4]}")
    found = by_instance(tmp_path)
    assert found["a-1"] == Outcome(
        "a-1", None, 0.5, 0.0, 2, 2_000, 800, 20, exit_status="Submitted", model="gpt-5-mini"
    )
    assert found["b-2"].solved is False
    assert found["c-3"] == Outcome("c-3", exit_status="Crashed")
    assert set(found) == {"a-1", "b-2", "c-3", "d-4"}


def test_a_batch_of_swe_agent_with_its_report_and_our_events(tmp_path: Path) -> None:
    for instance in ("a-1", "b-2"):
        written(tmp_path / instance / f"{instance}.traj", swe_agent(instance))
    written(tmp_path / "a-1" / "attempt_0" / "a-1.traj", swe_agent("a-1"))
    events = [
        {"event": "step", "hidden": 0},
        {"event": "step", "hidden": 3},
        {"event": "condensed", "by": "gpt-5-nano", "cost": 0.02},
        {"event": "condensed", "by": "extractive", "cost": None},
    ]
    written(tmp_path / "a-1" / "a-1.context.jsonl", "\n".join(map(json.dumps, events)))
    written(tmp_path / "results.json", {"resolved_ids": ["a-1"], "submitted_ids": ["a-1", "b-2"]})
    written(tmp_path / "preds.json", {"a-1": {"model_patch": "+"}})
    found = by_instance(tmp_path)
    assert (found["a-1"].solved, found["b-2"].solved) == (True, False)
    assert (found["a-1"].contexts, found["a-1"].hidden, found["a-1"].summary_cost) == (2, 1, 0.02)
    assert (found["b-2"].contexts, found["b-2"].hidden, found["b-2"].summary_cost) == (None, None, 0.0)
    assert found["a-1"].turns == 1
    assert (found["a-1"].prompt, found["a-1"].cached, found["a-1"].output) == (700, None, 30)
    assert len(read_runs([tmp_path]).runs) == 2


def test_output_of_openhands_v0(tmp_path: Path) -> None:
    event = {"id": 1, "action": "message", "source": "user", "message": "task", "args": {"content": "task"}}
    lines = [
        {"instance_id": name, "history": [event], "metrics": {"accumulated_cost": 0.2}, "metadata": {}}
        for name in ("a-1", "b-2")
    ]
    for name in ("output.jsonl", "output.critic_attempt_1.jsonl"):
        written(tmp_path / name, "\n".join(map(json.dumps, lines)))
    written(tmp_path / "output.swebench_eval.jsonl",
            json.dumps({"instance_id": "a-1", "test_result": {"report": {"resolved": True}}}))  # fmt: skip
    written(tmp_path / "eval_outputs" / "b-2" / "report.json", {"b-2": {"resolved": False}})
    for place in (tmp_path, tmp_path / "output.jsonl"):
        found = by_instance(place)
        assert found["a-1"].solved is True
        assert found["a-1"].cost == 0.2
        assert set(found) == {"a-1", "b-2"}
    assert by_instance(tmp_path)["b-2"].solved is False


def test_a_conversation_is_the_instance_of_its_folder() -> None:
    (one,) = read_runs([RECORDED / "openhands-plain"]).outcomes()
    assert one.instance == "openhands-plain"
    assert (one.turns, one.exit_status, one.model) == (39, "finished", "openai/gpt-4.1-mini")
    assert one.cost == pytest.approx(0.0763, abs=1e-4)
    assert {one.instance for one in read_runs([RECORDED]).outcomes()} == {
        "mini-text", "mini-tools", "openhands-parallel", "openhands-plain",
    }  # fmt: skip


@pytest.mark.parametrize("place", [".", "..", "events"])
def test_a_run_is_the_same_from_inside_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    shutil.copytree(RECORDED / "openhands-plain", tmp_path / "task-1")
    written(tmp_path / "task-1.context.jsonl", json.dumps({"event": "step", "hidden": 3}))
    (whole,) = read_runs([tmp_path / "task-1"]).outcomes()
    assert (whole.instance, whole.contexts) == ("task-1", 1)
    monkeypatch.chdir(tmp_path / "task-1" / ("events" if place == ".." else ""))
    (inside,) = read_runs([Path(place)]).outcomes()
    assert inside.contexts == 1
    assert inside.instance == whole.instance or place == "events"  # which name no instance


def test_conversations_in_the_folder_at_hand_are_attempts_at_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2):
        shutil.copytree(RECORDED / "openhands-plain", tmp_path / "task-1" / f"{number:032x}")
    monkeypatch.chdir(tmp_path / "task-1")
    assert [one.instance for one in read_runs([Path()]).outcomes()] == ["task-1", "task-1"]


def test_turns_are_the_answers_that_are_recorded(tmp_path: Path) -> None:
    unanswered = mini("a-1", turns=3)
    unanswered["messages"].pop()
    found = by_instance(written(tmp_path / "a-1.traj.json", unanswered))
    assert found["a-1"].turns == 3
    (lost,) = read_runs([RECORDED / "mini-text.traj.json"]).outcomes()
    assert lost.turns == 39  # of 40 calls: one reply, in a wrong format, was not kept


def test_the_verdict_may_be_a_path_of_its_own(tmp_path: Path) -> None:
    report = written(tmp_path / "elsewhere.json", {"resolved": {"openhands-plain": True}})
    (one,) = read_runs([RECORDED / "openhands-plain", report]).outcomes()
    assert one.solved is True


def test_several_runs_of_one_label_are_attempts_each_with_its_own_report(tmp_path: Path) -> None:
    for number, solved in ((1, ["a-1"]), (2, [])):
        written(tmp_path / f"run_{number}" / "a-1.traj.json", mini("a-1", cost=number))
        written(tmp_path / f"run_{number}" / "report.json", {"resolved_ids": solved, "submitted_ids": ["a-1"]})
    (group,) = measured([f"x={tmp_path / 'run_1'}", f"x={tmp_path / 'run_2'}"]).arms
    assert [(one.attempt, one.cost, one.solved) for one in group.outcomes] == [(0, 1, True), (1, 2, False)]
    assert group.repeated
    assert values(group, "solved") == {"a-1": 0.5}
    assert values(group, "cost") == {"a-1": 1.5}
    assert measured([str(tmp_path)]).arms[0].outcomes == group.outcomes


CSV = """experiment,instance_id,cost,summary_cost,turn_count,outcome,mean_prompt_tokens
raw,a-1,1.5,0,10,1,200
raw,b-2,,,3,0,
summary,a-1,1.0,0.25,12,,100
"""


def test_a_table_of_experiments(tmp_path: Path) -> None:
    path = written(tmp_path / "all.csv", CSV)
    raw, summary = measured([str(path)]).arms
    assert raw.outcomes[0] == Outcome("a-1", solved=True, cost=1.5, summary_cost=0.0, turns=10, prompt=2_000)
    assert raw.outcomes[1] == Outcome("b-2", solved=False, turns=3)
    assert summary.outcomes == (Outcome("a-1", cost=1.25, summary_cost=0.25, turns=12, prompt=1_200),)
    assert measured([f"mine={path}#sum"]).arms == [Arm("mine", summary.outcomes)]
    assert measured([f"{path}#raw"]).arms == [raw]


def test_a_picked_experiment_must_be_there(tmp_path: Path) -> None:
    path = written(tmp_path / "all.csv", CSV)
    with pytest.raises(ConfigError, match=r"all\.csv: #row 0 fit; choose one of: raw, summary"):
        measured([f"{path}#row"])
    with pytest.raises(ConfigError, match=r"which experiment\? 2 fit; choose one of: raw, summary"):
        measured([f"x={path}"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,cost\na,1\n", "no column instance_id or instance; there are: id, cost"),
        ("instance_id,size\na,1\n", "no column solved or cost or turns; there are: instance_id, size"),
        ("instance_id,cost\n", "no line below the header"),
        ("", "no column instance_id or instance; there are: none"),
    ],
)
def test_what_is_no_such_table_is_said(tmp_path: Path, text: str, said: str) -> None:
    path = written(tmp_path / "t.csv", text)
    with pytest.raises(ConfigError, match=said):
        read_table(path)
    with pytest.raises(ConfigError, match="no CSV table"):
        read_table(tmp_path)


def test_a_bad_line_is_refused_and_the_others_go_on(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", "instance_id,cost,solved\na,1,yes\nb,nan,no\nc,2,maybe\n,3,1\nd,x,1\ne,-1,1\n")
    found = read_table(path)
    assert found.experiments == {"t": [Outcome("a", solved=True, cost=1.0)]}
    assert [refusal.source.rpartition(":")[2] for refusal in found.refusals] == ["3", "4", "5", "6", "7"]
    assert "choose one of: 0, 0.0, 1" in found.refusals[1].reason


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    full = Outcome("a", None, 1.5, 0.25, 4, 100, 50, 7, 4, 2, "=done", "m")
    group = arm("x", [replace(full, solved=True), Outcome("a"), Outcome("b", solved=False)])
    path = written(tmp_path / "o.csv", outcomes_csv(compare([group])))
    (again,) = measured([str(path)]).arms
    assert again.label == "x"
    assert again.outcomes == group.outcomes
    assert "'=done" in path.read_text()  # no formula in anyone's spreadsheet


def test_instances_that_look_like_formulas_are_matched_in_a_table(tmp_path: Path) -> None:
    group = arm("@x", [Outcome("@scope/pkg-1", cost=1.0), Outcome("-b", cost=2.0)])
    found = read_table(written(tmp_path / "o.csv", outcomes_csv(compare([group]))))
    assert found.experiments == {"@x": [replace(one, attempt=0) for one in group.outcomes]}


def test_names_of_labels(tmp_path: Path) -> None:
    odd = tmp_path / "a=b"
    written(odd / "runs" / "x.traj.json", mini("x"))
    assert named(str(odd)).name == "a=b"
    assert named(f"mine={odd}").name == "mine"
    with pytest.raises(ConfigError, match="nowhere: no such file or folder"):
        named("mine=nowhere")
    written(tmp_path / "c" / "runs" / "x.traj.json", mini("x"))
    with pytest.raises(ConfigError, match="is given twice as x: its runs would count double"):
        measured([f"x={odd}", f"x={odd}"])
    with pytest.raises(ConfigError, match="two of the paths would be called runs: give LABEL=PATH"):
        measured([str(odd / "runs"), str(tmp_path / "c" / "runs")])


def test_a_folder_without_runs_is_refused_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    written(tmp_path / "some" / "x.traj.json", mini("x"))
    written(tmp_path / "some" / "notes.json", {"hello": 1})
    found = measured([str(tmp_path / "none"), str(tmp_path / "some")])
    assert [one.label for one in found.arms] == ["some"]
    assert [refusal.reason.partition(":")[0] for refusal in found.refusals] == [
        "no recording in this folder", "no run", "no known format; known are",
    ]  # fmt: skip


def test_odd_names_of_instances_are_matched_with_their_verdicts(tmp_path: Path) -> None:
    odd = "a\x1b[31m\u00a01"
    written(tmp_path / "x.traj.json", mini(odd))
    written(tmp_path / "report.json", {"resolved_ids": [odd], "submitted_ids": [odd]})
    written(tmp_path / "exit_statuses_1.yaml", json.dumps({"instances_by_exit_status": {"Crashed": [odd]}}))
    (found,) = by_instance(tmp_path).values()
    assert (found.instance, found.solved, found.exit_status) == (r"a\x1b[31m\xa01", True, "Submitted")
