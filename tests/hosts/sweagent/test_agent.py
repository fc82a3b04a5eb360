"""The real agent, model client and parsers, with a scripted model and a made-up environment."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from context_strategies.testing import ScriptedModel, Step, fail, run, say
from context_strategies.testing.wire import marks_of
from context_strategies.trajectories import Trajectory
from context_strategies.trajectories.load import read

Drive = Callable[..., Any]

MARKS = {"type": "cache_control"}
HYBRID = {"type": "hybrid", "window": 1, "every": 3, "refresh": 1}
CHAINS = [
    [{"type": "raw"}, MARKS],
    [{"type": "masking", "window": 2, "refresh": 1}, MARKS],
    [MARKS, {"type": "masking", "window": 1}],
    [{"type": "truncation", "keep_tokens": 900}],
    [{"type": "llm_summary", "every": 3, "window": 2}, MARKS],
    [MARKS, {"type": "rolling_summary"}],
    [HYBRID, MARKS],
]


def attempt_events(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "made-up.context.jsonl").read_text().splitlines()]


def script(count: int, lines: int = 40) -> list[Step]:
    return [run(f"show {n} {lines}", f"I look at {n}.") for n in range(count - 1)] + [run("submit")]


@pytest.mark.parametrize(
    ("chain", "text"),
    [*((chain, False) for chain in CHAINS), (CHAINS[1], True), (CHAINS[6], True)],
    ids=lambda value: "-".join(link["type"] for link in value) if isinstance(value, list) else None,
)
def test_every_strategy_runs_to_its_end(chain: list[dict[str, Any]], drive: Drive, *, text: bool) -> None:
    with ScriptedModel(script(10), fence="" if text else "bash") as server:
        done = drive(chain, server, text=text)
    assert done.info["exit_status"] == "submitted"
    assert {record.status for record in done.log} == {200}
    assert done.info["model_stats"]["api_calls"] == len(done.log)
    assert len(done.sent("agent")) == 10
    summaries = [event for event in done.events if event["event"] == "condensed"]
    assert len(done.sent("summary")) == len(summaries)
    assert not [event for event in done.events if event["event"] == "fallback"]
    assert [event["turn"] for event in done.events if event["event"] == "step"] == list(range(10))
    queries = [step["query"] for step in done.trajectory["trajectory"]]
    for record, query in zip(done.sent("agent"), queries, strict=True):
        assert [message["content"] for message in record.messages] == [item["content"] for item in query]
        assert record.marks == marks_of(query)
        assert len(record.marks) <= 4
    assert "hidden" not in str(done.trajectory["history"])


def test_a_requery_sees_the_same_context(drive: Drive) -> None:
    steps = [*script(5)[:4], say("No call."), say("Again none."), *script(2)]
    with ScriptedModel(steps) as server:
        done = drive([{"type": "masking", "window": 1, "refresh": 1}], server)
    assert done.info["exit_status"] == "submitted"
    first, second, third = (record.messages for record in done.log[4:7])
    assert second[:-2] == third[:-2] == first
    assert done.info["model_stats"]["api_calls"] == len(done.log)
    assert [event["turn"] for event in done.events] == list(range(6))


def test_summary_calls_count_against_the_runs_limits(drive: Drive) -> None:
    with ScriptedModel(script(30)) as server:
        done = drive([HYBRID], server, model={"per_instance_call_limit": 7})
    assert done.info["exit_status"] == "submitted (exit_cost)"
    assert done.sent("summary")
    assert done.info["model_stats"]["api_calls"] == len(done.log) == 8
    assert done.info["model_stats"]["instance_cost"] > 0


@pytest.mark.parametrize(
    "chain", [[{"type": "raw"}], [{"type": "masking"}], [HYBRID]], ids=lambda chain: chain[0]["type"]
)
def test_a_full_context_is_tightened(chain: list[dict[str, Any]], drive: Drive) -> None:
    with ScriptedModel(script(12, 120)) as server:
        done = drive(chain, server, model={"max_input_tokens": 16_000})
    ended = "submitted (exit_context)" if chain[0]["type"] == "raw" else "submitted"
    assert done.info["exit_status"] == ended


def test_a_summarizer_that_is_down_leaves_the_digest(drive: Drive) -> None:
    with ScriptedModel(script(8), summaries=[fail(500)]) as server:
        done = drive([HYBRID], server)
    assert done.info["exit_status"] == "submitted"
    assert "Digest of turns 1 to 6" in str(done.log[-1].messages)
    assert [event["by"] for event in done.events if event["event"] == "condensed"] == ["extractive"] * 2
    assert "instead: the next in line" in " ".join(done.printed.split())


def test_each_attempt_of_a_retry_agent_starts_anew(drive: Drive, tmp_path: Path) -> None:
    reviewer = {
        "system_template": "You review.",
        "instance_template": "Score this. {{traj}}",
        "traj_formatter": {},
        "n_sample": 1,
    }
    with ScriptedModel({"made-up": [*script(8), *script(8)], "default": [say("0.1")]}) as server:
        loop = {
            "type": "score",
            "reviewer_config": reviewer,
            "accept_score": 0.5,
            "max_attempts": 2,
            "cost_limit": 3.0,
            "model": {"name": "openai/gpt-4o", "api_base": server.url, "api_key": "none", "retry": {"retries": 1}},
        }
        done = drive([HYBRID], server, attempts=loop)
    assert {record.status for record in done.log} == {200}
    ours = [record for record in done.log if record.conversation == "made-up"]
    assert [record.kind for record in ours].count("summary") == 4
    first, second = (attempt_events(tmp_path / f"attempt_{n}") for n in (0, 1))
    assert [event for event in first if event["event"] == "step"] == [e for e in second if e["event"] == "step"]
    assert done.info["model_stats"]["api_calls"] == len(done.log)


def test_the_recorded_run_is_read_as_it_was(drive: Drive) -> None:
    with ScriptedModel(script(6)) as server:
        done = drive([{"type": "masking", "window": 1, "refresh": 1}], server)
    (trajectory,) = read([done.folder / "made-up.traj"])
    assert isinstance(trajectory, Trajectory)
    assert len(trajectory.calls) == 6
    assert not any("hidden" in message.text for message in trajectory.history.messages)
