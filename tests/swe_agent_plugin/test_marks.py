import copy
import json
from typing import Any

import pytest

from context_strategies.cache_marks import marked
from context_strategies.testing.wire import marks_of
from swe_agent_plugin.marks import SettledMarks, set_marks
from sweagent_items import called, item, start, turns

MASKING = {"type": "masking", "window": 3, "refresh": 1}
MARKS = {"type": "cache_control"}


@pytest.mark.parametrize("chain", [[MASKING, MARKS], [MARKS, MASKING]])
def test_the_settled_ends_are_marked_in_every_request_in_either_order(chain: list[Any], agent: Any) -> None:
    made = agent(chain)
    made.history = start()
    for number in range(1, 9):
        made.history += called(number)
        marks = marks_of(made.messages)
        assert marks_of(made.messages) == marks
        assert marks[-2:] == (len(made.history) - 3, len(made.history) - 1)
        oldest_shown = max(number - 3, 0)
        assert 2 + 2 * oldest_shown in marks
        assert len(marks) <= 4


def test_marks_are_no_part_of_what_is_stored(agent: Any) -> None:
    alone, both = agent([MARKS]), agent([MASKING, MARKS])
    alone.history, both.history = start() + turns(6), start() + turns(6)
    assert alone.messages
    assert both.messages
    assert marks_of(both.history) == marks_of(alone.history)[-2:]


def test_a_hidden_newest_output_keeps_its_mark_and_an_older_one_gets_none(agent: Any) -> None:
    made = agent([MARKS, {"type": "masking", "window": 0, "refresh": 1}])
    made.history = start()
    for number in range(1, 6):
        made.history += called(number)
        request = made.messages
        assert len(request) - 1 in marks_of(request)
        assert len(marks_of(request)) <= 4


def test_without_marks_of_its_own_a_run_gets_none(agent: Any) -> None:
    for chain in ([MASKING], [MASKING, {**MARKS, "last_n_messages": 0}]):
        made = agent(chain)
        made.history = start() + turns(6)
        assert marks_of(made.messages) == ()


def test_never_more_than_four(agent: Any) -> None:
    made = agent([MASKING, {**MARKS, "last_n_messages": 6}])
    made.history = start() + turns(8)
    marks = marks_of(made.messages)
    assert len(marks) == 4
    assert marks[-1] == len(made.history) - 1


def test_what_cannot_be_marked_is_passed_over() -> None:
    mark = {"type": "ephemeral"}
    empty = item("tool", "", "observation", tool_call_ids=["c"])
    action = item("assistant", "Hm.", "action")
    image = item("user", [{"type": "text", "text": "See:"}, {"type": "image_url", "image_url": {}}], "observation")
    items = [image, action, empty, action, marked(item("user", "x", "observation"), mark)]
    before = copy.deepcopy(items)
    request = set_marks(items, [3])
    assert marks_of(request) == (0, 4)
    assert request[0]["content"][0] == {"type": "text", "text": "See:", "cache_control": mark}
    assert items == before


def test_bytes_of_a_hidden_output_never_change(agent: Any) -> None:
    made = agent([MASKING, MARKS])
    made.history = start()
    seen: dict[str, set[str]] = {}
    for number in range(1, 12):
        made.history += called(number)
        for entry in made.messages:
            content = entry["content"]
            parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
            for ids in entry.get("tool_call_ids", ()):
                if "hidden" in parts[0]["text"]:
                    seen.setdefault(ids, set()).add(json.dumps([{"type": p["type"], "text": p["text"]} for p in parts]))
    assert len(seen) == 8
    assert all(len(versions) == 1 for versions in seen.values())


def test_a_mark_that_has_no_place_is_left_out() -> None:
    newest = marked(item("user", "x", "observation"), {"type": "ephemeral"})
    items = [item("system", "You fix bugs.", "system_prompt"), newest]
    assert marks_of(set_marks(items, [0])) == (1,)


def test_marks_that_cannot_be_set_leave_the_request_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    last = SettledMarks()
    odd: Any = [marked(item("user", "x", "observation"), {"type": "ephemeral"}), "no item"]
    last.expect(odd, [1])
    assert last(odd) is odd
    assert "cache marks not set" in caplog.text
