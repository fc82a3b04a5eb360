"""The real agent, model classes and environment, with a scripted model."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from context_strategies.testing import ScriptedModel, Step, call, context_exceeded, fail, hang, parallel, run, say
from context_strategies.trajectories import Trajectory
from context_strategies.trajectories.load import read
from mini_host import FENCE, MARKED, TEXT, agent_of, cost_of, events, model_of, script, sent, trajectory

MASKING = {"type": "masking", "window": 1, "refresh": 1}
HYBRID = {"type": "hybrid", "window": 1, "every": 3, "refresh": 1}
CONTEXTS: list[Any] = [
    "raw",
    "masking:window=2,refresh=1",
    MASKING,
    "truncation:keep_tokens=900",
    "llm_summary:every=3,window=2",
    "rolling_summary",
    HYBRID,
]


def kind_of(context: Any) -> str:
    return context["type"] if isinstance(context, dict) else str(context).partition(":")[0]


@pytest.mark.parametrize(
    ("context", "inner"),
    [*((context, "litellm") for context in CONTEXTS), (MASKING, TEXT), (HYBRID, TEXT)],
    ids=kind_of,
)
def test_every_strategy_runs_to_its_end(context: Any, inner: str, tmp_path: Path) -> None:
    with ScriptedModel(script(10), fence=FENCE) as server:
        agent = agent_of(model_of(server, context, inner_class=inner), tmp_path)
        assert agent.run("Fix it.")["exit_status"] == "Submitted"
    assert {record.status for record in server.log} == {200}
    assert len(sent(server)) == agent.n_calls == 10
    told = events(tmp_path)
    assert not [event for event in told if event["event"] == "fallback"]
    assert [event["turn"] for event in told if event["event"] == "step"] == list(range(10))
    summaries = [event for event in told if event["event"] == "condensed"]
    assert len(sent(server, "summary")) == len(summaries)
    hides = kind_of(context) != "raw"
    assert (sent(server)[-1].characters < 8_000) == hides
    assert not [message for message in agent.messages if "hidden" in str(message.get("content"))]


@pytest.mark.parametrize("inner", ["litellm", TEXT])
def test_the_trajectory_is_that_of_a_run_without_us(inner: str, tmp_path: Path) -> None:
    said = []
    for context in ("", MASKING):
        with ScriptedModel(script(6), fence=FENCE) as server:
            agent_of(model_of(server, context, inner_class=inner), tmp_path).run("Fix it.")
        said.append([(message["role"], message["content"]) for message in trajectory(tmp_path)["messages"]])
    assert said[0] == said[1]
    (found,) = read([tmp_path / "run.traj.json"])
    assert isinstance(found, Trajectory)
    assert (len(found.calls), found.history.turns, found.model) == (6, 5, "openai/gpt-4o")


def test_masking_each_turn_hides_what_a_chat_manager_hides(tmp_path: Path) -> None:
    from context_strategies.chat import Manager

    with ScriptedModel(script(8)) as server:
        agent = agent_of(model_of(server, MASKING), tmp_path)
        agent.run("Fix it.")
    manager = Manager(MASKING, model="gpt-4o")
    for record in sent(server):
        shown = manager(agent.messages[: len(record.messages)])
        assert [message["content"] for message in record.messages] == [message["content"] for message in shown]


def test_what_is_done_stands_in_the_trajectory(tmp_path: Path) -> None:
    with ScriptedModel(script(8)) as server:
        agent_of(model_of(server, HYBRID), tmp_path).run("Fix it.")
    info = trajectory(tmp_path)["info"]
    assert info["config"]["model"]["context"]["type"] == "hybrid"
    assert info["config"]["model_type"] == "mini_swe_agent_plugin.model.ContextModel"
    done = info["context"]
    assert (done["requests"], done["summaries"], done["fallbacks"]) == (8, 2, 0)
    assert done["tokens_after"] < done["tokens_before"]
    assert done["summary_cost"] == pytest.approx(cost_of(sent(server, "summary")))


@pytest.mark.parametrize("summarizer", ["host", {"model": "openai/gpt-4o", "api_key": "none"}])
def test_summaries_are_paid_for_by_the_run(summarizer: Any, tmp_path: Path) -> None:
    from minisweagent.models import GLOBAL_MODEL_STATS

    with ScriptedModel(script(10)) as server:
        chosen = summarizer if summarizer == "host" else {**summarizer, "api_base": server.url}
        before = (GLOBAL_MODEL_STATS.cost, GLOBAL_MODEL_STATS.n_calls)
        agent = agent_of(model_of(server, {**HYBRID, "summarizer": chosen}), tmp_path)
        agent.run("Fix it.")
    assert sent(server, "summary")
    assert not sent(server, "summary")[0].body.get("tools")
    assert agent.cost == pytest.approx(cost_of(server.log))
    assert GLOBAL_MODEL_STATS.cost - before[0] == pytest.approx(agent.cost)
    assert GLOBAL_MODEL_STATS.n_calls - before[1] == len(server.log)


def test_a_summary_counts_against_the_cost_limit(tmp_path: Path) -> None:
    with ScriptedModel(script(10)) as server:
        agent_of(model_of(server, HYBRID), tmp_path).run("Fix it.")
    agents, summary = sent(server), sent(server, "summary")[0]
    upto = [record for record in server.log if record.n <= summary.n + 1]
    limit = cost_of([record for record in upto if record in agents]) + cost_of([summary]) / 2
    with ScriptedModel(script(10)) as server:
        agent = agent_of(model_of(server, HYBRID), tmp_path, cost_limit=limit)
        assert agent.run("Fix it.")["exit_status"] == "LimitsExceeded"
    assert len(server.log) == len(upto)
    assert agent.cost == pytest.approx(cost_of(server.log))


@pytest.mark.parametrize("context", [MASKING, HYBRID, "llm_summary:every=3,window=2"], ids=kind_of)
def test_a_run_that_goes_on_from_a_trajectory_shows_the_same(context: Any, tmp_path: Path) -> None:
    with ScriptedModel(script(10)) as server:
        agent_of(model_of(server, context), tmp_path).run("Fix it.")
    messages = trajectory(tmp_path)["messages"]
    replies = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
    with ScriptedModel(script(1)) as again:
        for index in replies[4:]:
            model_of(again, context).query(messages[:index])
    asked_then = [index for index in replies[4:] if "context" in messages[index]["extra"]]
    assert len(sent(again, "summary")) == len(asked_then)  # none but the one that this request had asked for
    for first, second in zip(sent(server)[4:], sent(again), strict=True):
        assert first.messages == second.messages


def test_a_wrong_format_costs_what_it_costs_and_is_a_turn_of_its_own(tmp_path: Path) -> None:
    steps: list[Step] = [*script(5)[:4], say("No command."), *script(6)]
    with ScriptedModel(steps) as server:
        agent = agent_of(model_of(server, HYBRID), tmp_path)
        assert agent.run("Fix it.")["exit_status"] == "Submitted"
    assert agent.cost == pytest.approx(cost_of(server.log))
    assert {record.status for record in server.log} == {200}


def test_parallel_calls_and_wrong_ones_keep_their_answers(tmp_path: Path) -> None:
    both = parallel(*script(3)[:2], thought="Both.")
    with ScriptedModel([both, call("unknown", path="x"), both, *script(6)]) as server:
        agent = agent_of(model_of(server, "truncation:keep_tokens=300"), tmp_path)
        assert agent.run("Fix it.")["exit_status"] == "Submitted"
    assert {record.status for record in server.log} == {200}


def test_marks_stand_beside_the_hosts_own(tmp_path: Path) -> None:
    with ScriptedModel(script(9)) as server:
        agent = agent_of(model_of(server, {**MASKING, "window": 2}, name=MARKED), tmp_path)
        agent.run("Fix it.")
    for number, record in enumerate(sent(server)):
        last = len(record.messages) - 1
        assert record.marks[-1] == last
        assert len(record.marks) <= 3
        assert 1 + 2 * max(number - 2, 0) in record.marks
    assert "cache_control" not in str(trajectory(tmp_path)["messages"])


def test_without_marks_of_its_own_a_run_gets_none(tmp_path: Path) -> None:
    with ScriptedModel(script(5)) as server:
        agent_of(model_of(server, MASKING), tmp_path).run("Fix it.")
        agent_of(model_of(server, MASKING, name=MARKED, set_cache_control=None), tmp_path).run("Fix it.")
    assert {record.marks for record in server.log} == {()}


@pytest.mark.parametrize("context", ["raw", MASKING, HYBRID], ids=kind_of)
def test_a_request_that_is_refused_as_too_long_is_made_again_shorter(context: Any, tmp_path: Path) -> None:
    with ScriptedModel(script(12, 400), max_characters=20_000) as server:
        agent = agent_of(model_of(server, context), tmp_path)
        assert agent.run("Fix it.")["exit_status"] == "Submitted"
    refused = [record for record in sent(server) if record.status == 400]
    assert len(refused) == len(sent(server)) - agent.n_calls == trajectory(tmp_path)["info"]["context"]["requests"] - 12
    assert bool(refused) == (context == "raw")


def test_a_model_that_takes_nothing_ends_the_run_as_ever(tmp_path: Path) -> None:
    from litellm.exceptions import ContextWindowExceededError

    with ScriptedModel([*script(4)[:3], context_exceeded()]) as server:
        agent = agent_of(model_of(server, MASKING), tmp_path)
        with pytest.raises(ContextWindowExceededError):
            agent.run("Fix it.")
    assert trajectory(tmp_path)["info"]["exit_status"] == "ContextWindowExceededError"
    assert len(server.log) < 20


@pytest.mark.parametrize("answer", [fail(500), say(""), hang()], ids=["down", "empty", "slow"])
def test_a_summarizer_that_fails_leaves_the_digest(answer: Step, tmp_path: Path) -> None:
    with ScriptedModel(script(8), summaries=[answer]) as server:
        agent = agent_of(model_of(server, HYBRID, model_kwargs={"timeout": 1, "max_retries": 0}), tmp_path)
        assert agent.run("Fix it.")["exit_status"] == "Submitted"
    assert "Digest of turns 1 to 6" in str(sent(server)[-1].messages)
    assert [event["by"] for event in events(tmp_path) if event["event"] == "condensed"] == ["extractive"] * 2
    answered = [record for record in server.log if record.status == 200]
    assert agent.cost == pytest.approx(cost_of(answered))


def test_a_strategy_that_raises_is_replaced(tmp_path: Path) -> None:
    with ScriptedModel(script(14)) as server:
        agent = agent_of(model_of(server, "mini_host:Broken"), tmp_path)
        assert agent.run("Fix it.")["exit_status"] == "Submitted"
    assert "it broke" in next(event["reason"] for event in events(tmp_path) if event["event"] == "fallback")
    assert trajectory(tmp_path)["info"]["context"]["fallbacks"] >= 1


def test_events_that_cannot_be_written_are_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "run.context.jsonl").mkdir()
    with ScriptedModel(script(5)) as server:
        agent_of(model_of(server, MASKING), tmp_path).run("Fix it.")
    said = [
        record for record in caplog.records if "not written" in record.getMessage() and record.name != "minisweagent"
    ]
    assert len({record.getMessage() for record in said}) == 1
    assert trajectory(tmp_path)["info"]["exit_status"] == "Submitted"


def test_agents_in_threads_may_share_a_model(tmp_path: Path) -> None:
    names = ("one", "two", "three")
    scripts = {name: script(8, 30 + 10 * place) for place, name in enumerate(names)}
    with ScriptedModel(scripts) as server:
        model = model_of(server, HYBRID)
        for name in names:
            (tmp_path / name).mkdir()
        agents = [agent_of(model, tmp_path / name) for name in names]
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(lambda pair: pair[0].run(f"Fix it. TASK-ID: {pair[1]}"), zip(agents, names, strict=True)))
    for agent, name in zip(agents, names, strict=True):
        log = [record for record in server.log if record.conversation == name]
        assert {record.status for record in log} == {200}
        assert agent.cost == pytest.approx(cost_of(log))
        assert [event["turn"] for event in events(tmp_path / name) if event["event"] == "step"] == list(range(8))


def test_a_new_task_for_the_same_agent_starts_anew(tmp_path: Path) -> None:
    with ScriptedModel({"one": script(6), "two": script(4)}) as server:
        agent = agent_of(model_of(server, MASKING), tmp_path)
        agent.run("Fix it. TASK-ID: one")
        agent.run("Fix it. TASK-ID: two")
    assert [event["turn"] for event in events(tmp_path) if event["event"] == "step"] == list(range(4))
    assert [len(record.messages) for record in server.log[6:]] == [2, 4, 6, 8]
    assert "hidden" in str(server.log[-1].messages)


def test_a_command_runs_as_ever(tmp_path: Path) -> None:
    with ScriptedModel([run("echo $((6 * 7)) > answer"), *script(1)]) as server:
        agent_of(model_of(server, MASKING), tmp_path).run("Fix it.")
    assert (tmp_path / "answer").read_text() == "42\n"
