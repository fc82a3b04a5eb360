"""Running summaries in real runs: their place, their cost, and what happens where none can be had."""

import pytest

from context_strategies.testing import fail, say
from openhands_v0_runs import BIG, FINISH, OpenHands, shown, text

SUMMARY = """
    [condenser]
    type = "llm_summary"
    every = 6
    window = 3
    llm_config = "cheap"
"""
CHEAP = """
    [llm.cheap]
    model = "openai/cheap"
    retry_min_wait = 0
    retry_max_wait = 0
"""
HEAD = "[Summary of turns 1 to {}, which are no longer shown]\n"


def test_one_running_summary_stands_for_the_oldest_turns(openhands: OpenHands) -> None:
    ours = openhands.run(SUMMARY, [*BIG, FINISH], llm=CHEAP, summaries=[say("First."), say("Second."), say("Third.")])
    assert ours.end == "finished"
    assert len(ours.summaries) == 3
    assert {record.body["model"] for record in ours.summaries} == {"cheap"}
    assert {record.body["model"] for record in ours.requests} == {"scripted"}
    last = [(role, said.strip()) for role, said in shown(ours.requests[-1])]
    assert [said for _, said in last if said.startswith("[Summary")] == [HEAD.format(18) + "Third."]
    assert ("user", "Do it.") in last
    assert sum(role == "tool" for role, _ in last) == 7


def test_the_summarizer_reads_whole_outputs_and_the_summary_before(openhands: OpenHands) -> None:
    hybrid = '[condenser]\ntype = "hybrid"\nwindow = 2\nevery = 6\nrefresh = 1'
    ours = openhands.run(hybrid, [*BIG[:16], FINISH], summaries=[say("First."), say("Second.")])
    first, second = (text(record.messages[1]) for record in ours.summaries)
    assert "1799" in first  # the last line of the first turn's output, which is hidden by then
    assert "hidden" not in first
    assert "Do it." in second
    assert "First." in second


def test_events_tell_of_summaries_so_that_openhands_alone_could_go_on(openhands: OpenHands) -> None:
    ours = openhands.run(SUMMARY, [*BIG, FINISH], llm=CHEAP)
    told = [event["args"] for event in ours.trajectory if event.get("action") == "condensation"]
    assert [args["summary"] for args in told] == [HEAD.format(turn) + "A canned summary." for turn in (6, 12, 18)]
    assert [len(args["forgotten_event_ids"]) for args in told] == [12, 12, 12]
    from openhands.memory.view import View

    alone = View.from_events(ours.state.history).events
    kinds = [getattr(event, "observation", "") or event.action for event in alone]
    assert kinds[:4] == ["system", "message", "recall", "recall"]
    assert kinds[4] == "condense"
    assert kinds[5:].count("run") == 14


def test_summary_calls_count_in_statistics_and_budget(openhands: OpenHands) -> None:
    ours = openhands.run(SUMMARY, [*BIG, FINISH], llm=CHEAP)
    services = ours.state.conversation_stats.service_to_metrics
    for service, records in (("agent", ours.requests), ("condenser", ours.summaries)):
        used = [record.response["usage"] for record in records]
        cost = sum(usage["prompt_tokens"] * 1e-6 + usage["completion_tokens"] * 5e-6 for usage in used)
        assert services[service].accumulated_cost == pytest.approx(cost)
    told = [event for event in ours.events if event["event"] == "condensed"]
    assert sum(event["cost"] for event in told) == pytest.approx(services["condenser"].accumulated_cost)
    assert [event["by"] for event in told] == ["openai/cheap"] * 3


def test_a_budget_ends_the_run_with_the_summaries_cost_in_it(openhands: OpenHands) -> None:
    dear = CHEAP + "input_cost_per_token = 1e-4\n"
    ours = openhands.run(SUMMARY, [*BIG, FINISH], llm=dear, budget=0.5)
    assert ours.end == "error"
    assert "budget" in ours.state.last_error
    services = ours.state.conversation_stats.service_to_metrics
    assert services["agent"].accumulated_cost < 0.5 < services["condenser"].accumulated_cost


def test_a_summarizer_that_is_down_never_ends_the_run(openhands: OpenHands) -> None:
    ours = openhands.run(SUMMARY, [*BIG, FINISH], llm=CHEAP, summaries=[fail(503)])
    assert ours.end == "finished"
    assert len(ours.requests) == 26
    assert any(event["event"] == "fallback" for event in ours.events)
    told = [event["by"] for event in ours.events if event["event"] == "condensed"]
    assert told == ["extractive"] * 3
    assert any(said.strip().startswith(HEAD.format(18)) for _, said in shown(ours.requests[-1]))


def test_a_summarizer_by_name_is_called_through_openhands(openhands: OpenHands) -> None:
    other = '{model = "openai/other", api_base = "{url}", api_key = "none"}'
    condenser = f'[condenser]\ntype = "rolling_summary"\nsummarizer = {other}'
    ours = openhands.run(condenser, [*BIG[:6], FINISH])
    assert {record.body["model"] for record in ours.summaries} == {"other"}
    assert "condenser" in ours.state.conversation_stats.service_to_metrics
