import copy
from typing import Any

from context_strategies.testing.wire import marks_of
from mini_swe_agent_plugin.marks import Request, extend, set_marks
from mini_swe_agent_plugin.translate import Item

MARK = {"cache_control": {"type": "ephemeral"}}
TEXT = {"type": "text", "text": "x"}


def request(count: int = 5, *, mark: bool = True) -> list[Item]:
    """Messages as mini-swe-agent prepares them: the last one marked."""
    items: list[Item] = [{"role": "user", "content": f"Part {n}."} for n in range(count)]
    if mark:
        items[-1] = {"role": "user", "content": [{**TEXT, **MARK}]}
    return items


def test_ours_stand_beside_the_hosts() -> None:
    items = request()
    before = copy.deepcopy(items)
    assert marks_of(set_marks(items, [1, 3])) == (1, 3, 4)
    assert marks_of(set_marks(items, [4])) == (4,)
    assert items == before


def test_a_request_without_marks_stays_without() -> None:
    assert set_marks([], [0]) == []
    items = request(mark=False)
    assert set_marks(items, [1]) is items


def test_what_cannot_be_marked_is_passed_over() -> None:
    reply: Item = {"role": "assistant", "content": "Hm."}
    image = {"type": "image_url", "image_url": {"url": "x"}}
    empty: Item = {"role": "tool", "content": ""}
    items: list[Item] = [{"role": "user", "content": [TEXT, image]}, reply, empty, *request(1)]
    marked = set_marks(items, [2])
    assert marks_of(marked) == (0, 3)
    assert marked[0]["content"] == [{**TEXT, **MARK}, image]
    assert set_marks([reply, *request(1)], [0]) == [reply, *request(1)]


def test_a_tools_answer_is_marked_as_a_whole() -> None:
    tool: Item = {"role": "tool", "content": "x", "tool_call_id": "c"}
    assert set_marks([tool, *request(1)], [0])[0] == {**tool, "content": [TEXT], **MARK}


class Model:
    def _prepare_messages_for_api(self, messages: list[Item]) -> list[Item]:
        return request(len(messages))


def test_only_requests_of_ours_are_marked_and_nothing_is_fatal() -> None:
    model: Any = Model()
    extend(model)
    ours = Request(request(mark=False), [1])
    assert marks_of(model._prepare_messages_for_api(ours)) == (1, 4)
    assert marks_of(model._prepare_messages_for_api(request())) == (4,)
    ours.marks = [7]
    assert marks_of(model._prepare_messages_for_api(ours)) == (4,)


def test_a_model_class_without_marks_stays_as_it_is() -> None:
    model = object()
    extend(model)
