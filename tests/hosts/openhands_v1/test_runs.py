import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

pytest.importorskip("openhands.sdk", reason="the OpenHands SDK is not installed here")
pytest.importorskip("openhands.tools.terminal", reason="openhands-tools is not installed here")

from openhands.sdk.context.condenser import LLMSummarizingCondenser, PipelineCondenser
from openhands.sdk.conversation.state import ConversationExecutionStatus
from openhands.sdk.event import ActionEvent, Condensation
from openhands.sdk.event.conversation_error import ConversationErrorEvent

from context_strategies.summarizers.prompt import OPENING
from context_strategies.testing import ScriptedModel, Step, fail, say
from openhands_plugin import v1
from openhands_v1_host import Host, Make, agent_requests, begin, model_of, pairs, steps, texts

FINISHED = ConversationExecutionStatus.FINISHED
CALLS = 25 + 4
SUMMARY = [say("The counting goes well: everything up to here is counted.")]

MAKES: dict[str, Make] = {
    "masking": lambda _: v1.MaskingCondenser(window=5, refresh=1),
    "truncation": lambda _: v1.TruncationCondenser(keep_tokens=8_000),
    "llm_summary": lambda s: v1.LLMSummaryCondenser(every=6, window=4, llm=model_of(s, "condenser")),
    "rolling_summary": lambda s: v1.RollingSummaryCondenser(every=4, buffer=2, llm=model_of(s, "condenser")),
    "hybrid": lambda s: v1.HybridCondenser(window=3, every=8, llm=model_of(s, "condenser")),
    "pipeline": lambda s: PipelineCondenser(
        condensers=[
            v1.MaskingCondenser(window=3, refresh=1),
            v1.LLMSummaryCondenser(every=8, window=6, llm=model_of(s, "condenser")),
        ]
    ),
    "before the SDK's own": lambda s: PipelineCondenser(
        condensers=[
            v1.MaskingCondenser(window=3, refresh=1),
            LLMSummarizingCondenser(llm=model_of(s, "condenser"), max_size=24, keep_first=2),
        ]
    ),
}


def serve(script: Sequence[Step], **settings: Any) -> ScriptedModel:
    """A scripted model that knows the SDK's own summary requests, too."""
    pattern = f"{re.escape(OPENING)}|context-aware state summary"
    return ScriptedModel(script, summary_pattern=pattern, **settings)


def test_masking_keeps_every_call_with_its_answer(host: Host) -> None:
    with ScriptedModel(steps()) as server:
        done = host.run(model_of(server), MAKES["masking"](server))
    last = agent_requests(server)[-1]
    assert done.state.execution_status is FINISHED
    assert pairs(last) == (CALLS, CALLS)
    outputs = texts(last, "tool")
    hidden = [text for text in outputs if text.startswith("[Output of")]
    assert len(hidden) == 20 + 3
    assert hidden[0].startswith('[Output of "echo step 0; seq 1 1500" hidden: ')
    assert "1500" in outputs[-1]


@pytest.mark.parametrize("name", MAKES)
def test_a_long_run_finishes_and_costs_less(name: str, host: Host) -> None:
    with serve(steps(), summaries=SUMMARY) as server:
        done = host.run(model_of(server), MAKES[name](server))
    assert done.state.execution_status is FINISHED
    requests = agent_requests(server)
    assert len(requests) == 26
    assert all(texts(messages, "system") and "TASK-ID" in texts(messages, "user")[0] for messages in requests)
    assert sum(record.characters for record in server.log) < 0.75 * 3_100_000
    assert not [e for e in done.state.events if isinstance(e, ConversationErrorEvent)]


@pytest.mark.parametrize("name", MAKES)
def test_a_run_that_is_stopped_and_resumed_sends_what_one_in_a_piece_sends(name: str, tmp_path: Path) -> None:
    whole, parts = Host(tmp_path), Host(tmp_path / "parts")
    (tmp_path / "parts").mkdir()
    parts.folder.joinpath("workspace").symlink_to(tmp_path / "workspace")
    with serve(steps(16), summaries=SUMMARY) as server:
        whole.run(model_of(server), MAKES[name](server))
        expected = [record.messages for record in server.log]
    with serve(steps(16), summaries=SUMMARY) as server:
        parts.run(model_of(server), MAKES[name](server), iterations=3)
        for _ in range(8):
            parts.close()
            again = parts.conversation(model_of(server), MAKES[name](server), iterations=3)
            if again.state.execution_status is FINISHED:
                break
            cast("Any", again).run()
    whole.close()
    parts.close()
    for record, messages in zip(server.log, expected, strict=True):
        assert _said(record.messages) == _said(messages)


def test_one_that_asked_is_resumed_with_the_same_marks_and_events(tmp_path: Path) -> None:
    logs, recorded = [], []
    for stops in (False, True):
        folder = tmp_path / str(stops)
        folder.mkdir()
        one = Host(folder)
        with ScriptedModel([*steps(8)[:-1], say("What next?"), *steps(2)]) as server:
            llm = model_of(server, model="litellm_proxy/claude-sonnet-4-5")
            condenser = v1.MaskingCondenser(window=3, refresh=1, events=str(folder / "conversations"))
            talk: Any = one.run(llm, condenser)
            if stops:
                one.close()
                talk = one.conversation(llm, v1.MaskingCondenser(**condenser.model_dump(exclude={"kind"})))
            talk.send_message("Go on.")
            talk.run()
        logs.append([record.marks for record in server.log])
        lines = (one.persisted / "context-strategies.jsonl").read_text().splitlines()
        events = [json.loads(line) for line in lines]
        recorded.append([(event["turn"], event["hidden"], event["reason"]) for event in events])
        assert events[9]["shared"] == events[8]["after"]  # the request that asked, all of it
        one.close()
    assert len(logs[0]) == len(recorded[0]) == 12
    assert logs[0] == logs[1]
    assert recorded[0] == recorded[1]


def _said(messages: Sequence[dict[str, Any]]) -> list[str]:
    """Messages without the terminal's control codes, which come and go with the time it takes."""
    return [re.sub(r"\\u001b\[[?\d;]*[a-z]", "", json.dumps(message), flags=re.IGNORECASE) for message in messages]


def test_the_server_runs_them_asynchronously(host: Host) -> None:
    with ScriptedModel(steps(14), summaries=SUMMARY) as server:
        talk: Any = host.conversation(model_of(server), MAKES["rolling_summary"](server))
        begin(talk)
        asyncio.run(talk.arun())
    assert talk.state.execution_status is FINISHED
    assert [record.kind for record in server.log].count("summary") == 3


@pytest.mark.parametrize("name", MAKES)
def test_a_model_that_takes_less_than_the_run_needs_is_no_end(name: str, host: Host) -> None:
    with serve(steps(), summaries=SUMMARY, max_characters=60_000) as server:
        done = host.run(model_of(server), MAKES[name](server))
    assert done.state.execution_status is FINISHED
    assert len(agent_requests(server)) == 26
    refused = [record for record in server.log if record.status == 400]
    assert all("maximum context length" in str(record.response) for record in refused)
    assert len(refused) <= 8


def test_a_task_that_never_fits_ends_the_run_with_the_reason(host: Host) -> None:
    with ScriptedModel(steps(), max_characters=5_000) as server:
        done = host.run(model_of(server), MAKES["masking"](server))
    assert len(server.log) == 2
    assert [
        "too long for the model" in e.detail for e in done.state.events if isinstance(e, ConversationErrorEvent)
    ] == [True]


def test_condensing_by_hand(host: Host) -> None:
    with ScriptedModel([*steps(6)[:-1], say("What next?")], summaries=SUMMARY) as server:
        done = host.run(model_of(server), v1.LLMSummaryCondenser(every=50, llm=model_of(server, "condenser")))
        before = len(done.state.view.events)
        done.condense()
    assert len(done.state.view.events) < before
    assert [record.kind for record in server.log][-1] == "summary"


def test_a_summary_model_that_is_down_is_no_end(host: Host) -> None:
    with ScriptedModel(steps(16), summaries=[fail(503)]) as server:
        done = host.run(model_of(server), MAKES["llm_summary"](server))
    assert done.state.execution_status is FINISHED
    condensed = [event for event in done.state.events if isinstance(event, Condensation)]
    assert len(condensed) == 2
    assert all("made without a model" in (event.summary or "") for event in condensed)


def test_summaries_are_counted_where_the_conversation_counts(host: Host) -> None:
    with serve(steps(16), summaries=SUMMARY) as server:
        done = host.run(model_of(server), MAKES["rolling_summary"](server))
    stats = done.state.stats.usage_to_metrics
    for usage_id, kind in (("agent", "agent"), ("condenser", "summary")):
        usages = [record.response["usage"] for record in server.log if record.kind == kind]
        found = stats[usage_id].accumulated_token_usage
        assert found is not None
        assert found.prompt_tokens == sum(usage["prompt_tokens"] for usage in usages)
        cost = sum(u["prompt_tokens"] * 1e-6 + u["completion_tokens"] * 5e-6 for u in usages)
        assert stats[usage_id].accumulated_cost == pytest.approx(cost)
    ids = [event.llm_response_id for event in done.state.events if isinstance(event, Condensation)]
    assert ids == [record.response["id"] for record in server.log if record.kind == "summary"]


@pytest.mark.parametrize("given", ["none", "the agent's", "a copy with its id"])
def test_no_summary_is_free_of_charge(given: str, host: Host) -> None:
    with serve(steps(16), summaries=SUMMARY) as server:
        agents = model_of(server)
        llm = {"none": None, "the agent's": agents, "a copy with its id": model_of(server)}[given]
        done = host.run(agents, v1.RollingSummaryCondenser(llm=llm))
    usages = [record.response["usage"] for record in server.log]
    cost = sum(usage["prompt_tokens"] * 1e-6 + usage["completion_tokens"] * 5e-6 for usage in usages)
    assert "summary" in {record.kind for record in server.log}
    assert done.state.stats.get_combined_metrics().accumulated_cost == pytest.approx(cost)


def test_a_budget_stops_at_agent_and_summaries_together(host: Host) -> None:
    with serve(steps(), summaries=SUMMARY) as server:
        done = host.run(model_of(server), MAKES["rolling_summary"](server), budget=0.1)
    cost = done.state.stats.get_combined_metrics().accumulated_cost
    assert 0.1 <= cost < 0.12
    assert done.state.execution_status is not FINISHED


def test_the_summarizer_reads_outputs_in_full(host: Host) -> None:
    with ScriptedModel(steps(14, lines=300), summaries=SUMMARY) as server:
        host.run(model_of(server), MAKES["llm_summary"](server))
    asked = next(record for record in server.log if record.kind == "summary")
    prompt = "".join(texts(asked.messages, "user"))
    for n in range(6):
        assert f"echo step {n}; seq 1 300" in prompt
    assert prompt.count("\n149\n150\n151\n") == 6


def test_events_stand_beside_the_persisted_conversation(host: Host) -> None:
    with ScriptedModel(steps(14), summaries=SUMMARY) as server:
        condenser = v1.RollingSummaryCondenser(
            every=4, buffer=2, llm=model_of(server, "condenser"), events=str(host.folder / "conversations")
        )
        host.run(model_of(server), condenser)
    lines = (host.persisted / "context-strategies.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in lines]
    assert [event["event"] for event in events].count("step") == len(agent_requests(server))
    assert [event["last_turn"] for event in events if event["event"] == "condensed"] == [2, 6, 10]


def test_a_cache_mark_leaves_at_the_settled_end(host: Host) -> None:
    with ScriptedModel(steps(12)) as server:
        llm = model_of(server, model="litellm_proxy/claude-sonnet-4-5")
        host.run(llm, v1.MaskingCondenser(window=3, refresh=4))
    marks = [record.marks for record in server.log]
    assert all(0 in mark and len(mark) <= 4 for mark in marks)
    last = agent_requests(server)[-1]
    hidden = [i for i, m in enumerate(last) if m["role"] == "tool" and m["content"][0]["text"].startswith("[Output of")]
    assert hidden[-1] in marks[-1]
    assert len(last) - 1 in marks[-1]


@pytest.mark.parametrize("name", ["masking", "rolling_summary"])
def test_an_agent_that_thinks_finishes_with_its_thinking_whole(host: Host, name: str) -> None:
    script = [replace(step, thinking=f"Hm, {number}.") if step.calls else step for number, step in enumerate(steps())]
    with serve(script, summaries=SUMMARY, strict=True) as server:
        done = host.run(model_of(server), MAKES[name](server))
    assert done.state.execution_status is FINISHED
    thinking = [event for event in done.state.events if isinstance(event, ActionEvent) and event.thinking_blocks]
    assert len(thinking) >= 25
    calls, answers = pairs(agent_requests(server)[-1])
    assert calls == answers > 0
    assert {record.status for record in server.log} == {200}
