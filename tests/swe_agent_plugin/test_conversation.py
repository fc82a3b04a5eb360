import copy
import json
import logging
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from context_strategies.strategies import Masking
from swe_agent_plugin.conversation import Conversation
from swe_agent_plugin.processors import processor_classes
from sweagent_items import LONG, acted, called, item, start, turns

HIDDEN = '[Output of "cat 1.py" hidden: 40 lines, 680 characters. Run it again if you need it.]'

WINDOW = {"type": "masking", "window": 1, "refresh": 1}


def masking(**fields: Any) -> Any:
    return processor_classes()["masking"](**{"window": 1, "refresh": 1, **fields})


def texts(items: list[dict[str, Any]]) -> list[str]:
    return [entry["content"] if isinstance(entry["content"], str) else entry["content"][0]["text"] for entry in items]


@pytest.mark.parametrize("turn", [called, acted])
def test_old_outputs_are_hidden_in_copies(turn: Any) -> None:
    history = start() + turn(1) + turn(2)
    before = copy.deepcopy(history)
    request = masking()(list(history))
    assert texts(request)[4] == HIDDEN
    assert [new is old for new, old in zip(request, history, strict=True)] == [True] * 4 + [False] + [True] * 2
    assert {**request[4], "content": LONG} == history[4]
    assert history == before


def test_the_same_history_gives_the_same_bytes_and_events_once(tmp_path: Path, agent: Any) -> None:
    made = agent([WINDOW], tmp_path / "a.b.traj")
    made.history = start() + turns(3)
    first = json.dumps(made.messages)
    assert json.dumps(made.messages) == first
    (event,) = map(json.loads, (tmp_path / "a.b.context.jsonl").read_text().splitlines())
    assert (event["event"], event["turn"], event["boundary"]) == ("step", 3, 2)
    assert event["after"] < event["before"]


def test_fed_turn_by_turn_or_at_once() -> None:
    history = start() + turns(6)
    growing, request = masking(), []
    for length in range(3, len(history) + 1, 2):
        request = growing(history[:length])
    assert request == masking()(history)


def test_list_content_images_and_thinking_stay_what_they_are() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
    first = called(
        1, [{"type": "text", "text": LONG}, image], thinking_blocks=[{"type": "thinking", "thinking": "Hm."}]
    )
    request = masking()(start() + first + called(2))
    assert request[3] is first[0]
    assert request[4]["content"] == [{"type": "text", "text": HIDDEN.replace("characters", "characters, 1 image")}]
    assert request[4]["tool_call_ids"] == ["c1"]


def test_tags_count_on_the_output_and_on_its_action_where_sweagent_puts_them() -> None:
    kept, dropped = called(1, tags=["keep_output"]), called(3)
    dropped[1]["tags"] = ["remove_output"]
    request = texts(masking()(start() + kept + called(2) + dropped))
    assert request[4] == LONG
    assert "hidden" in request[6]
    assert "hidden" in request[8]


def test_a_history_that_does_not_go_on_starts_anew() -> None:
    processor = masking()
    processor(start() + turns(5))
    other = start() + called(7) + called(8)
    assert processor(other) == masking()(other)


def test_copies_and_shortened_outputs_of_an_earlier_processor_are_the_same_conversation(agent: Any) -> None:
    def earlier(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
        copies = copy.deepcopy(items)
        for entry in copies[4:-2:2]:
            entry["content"] = [{"type": "text", "text": entry["content"].replace("line", "row")}]
        return copies

    made = agent([{"type": "hybrid", "window": 1, "every": 2, "refresh": 1}])
    made.history_processors.insert(0, earlier)
    made.history = start()
    for number in range(1, 8):
        made.history += called(number)
        assert made.messages
    assert made.model.stats.api_calls == 3


def test_a_summary_stands_behind_the_task(agent: Any) -> None:
    made = agent([{"type": "llm_summary", "window": 1, "every": 2, "summarizer": "extractive"}])
    made.history = start() + turns(4)
    request = made.messages
    assert [entry["message_type"] for entry in request[:4]] == [
        "system_prompt",
        "demonstration",
        "observation",
        "summary",
    ]
    assert request[:3] == made.history[:3]
    assert request[3]["role"] == "user"
    assert request[4:] == made.history[7:]


def test_a_copy_of_a_used_processor_starts_empty() -> None:
    processor = masking()
    processor(start() + turns(3))
    assert processor.model_copy(deep=True)(start()) == start()


@pytest.mark.usefixtures("standin")
def test_an_error_of_the_strategy_falls_back_to_masking(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Masking):
        def step(self, *_: Any) -> Any:
            raise ValueError("broken")

    history = start() + turns(12)
    assert Conversation()(Broken(), history) == history
    assert "ValueError: broken; instead: masking from here on" in caplog.text


def test_an_error_of_our_own_sends_everything_and_is_said_once(agent: Any, caplog: pytest.LogCaptureFixture) -> None:
    made = agent([WINDOW])
    made.history = [*start(), *turns(3), item("user", "x", "observation", tags=5)]
    with caplog.at_level(logging.WARNING):
        assert made.messages == made.history
        assert made.messages == made.history
    assert [record.name for record in caplog.records if "nothing is hidden" in record.message].count(
        "swea-context"
    ) == 1


def test_a_context_above_the_models_limit_is_tightened(agent: Any) -> None:
    made = agent([{"type": "masking", "window": 10}], max_input_tokens=2_000)
    made.history = start() + turns(9)
    assert sum(map(len, texts(made.messages))) < 2_000 * 3.6 * 0.75 < sum(map(len, texts(made.history)))


def test_prices_that_cannot_be_read_are_assumed(agent: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"gpt-4o": {"input_cost_per_token": "free", "output_cost_per_token": 1}}
    monkeypatch.setitem(import_module("sys").modules, "litellm", type("litellm", (), {"model_cost": table}))
    made = agent([{"type": "masking", "window": 1}])
    made.history = start() + turns(3)
    assert len(made.messages) == len(made.history)


@pytest.mark.parametrize(
    ("chain", "said"),
    [([WINDOW], 1), ([WINDOW, {"type": "cache_control"}], 0), ([{**WINDOW, "cache": "off"}], 0)],
)
def test_a_model_that_caches_up_to_marks_where_none_are_set_is_said_once(
    agent: Any, caplog: pytest.LogCaptureFixture, chain: list[dict[str, Any]], said: int
) -> None:
    made = agent(chain, name="claude-sonnet-4-5")
    made.history = start() + turns(3)
    assert made.messages == made.messages
    unmarked = [record.name for record in caplog.records if "has no cache_control" in record.message]
    assert unmarked.count("context_strategies") == said
