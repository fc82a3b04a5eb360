import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_strategies import choose
from context_strategies.events import Fallback, Step
from context_strategies.summarizers import Extractive
from context_strategies.terms import Terms
from mini_swe_agent_plugin.conversation import MOST, Conversation, Conversations
from mini_swe_agent_plugin.ledger import Ledger
from mini_swe_agent_plugin.translate import Item

MASKING = "masking:window=1,refresh=1"


def made(spec: Any = MASKING) -> Conversation:
    return Conversation(choose(spec), Terms(), Ledger(Extractive()))


def messages(turns: int, *, calls: bool = True, start: str = "Fix it.") -> list[Item]:
    """A conversation as mini-swe-agent keeps it; the replies carry a time."""
    items: list[Item] = [{"role": "system", "content": "You fix bugs."}, {"role": "user", "content": start}]
    for n in range(turns):
        call = {"id": f"c{n}", "function": {"name": "bash", "arguments": f'{{"command": "cat {n}.py"}}'}}
        said = f"Look.\n```bash\ncat {n}.py\n```"
        action = {"content": None, "tool_calls": [call]} if calls else {"content": said}
        items.append({"role": "assistant", **action, "extra": {"timestamp": n}})
        answer = {"role": "tool", "tool_call_id": f"c{n}"} if calls else {"role": "user"}
        items.append({**answer, "content": f"{n}: a line of output\n" * 40, "extra": {"returncode": 0}})
    return items


SPECS = [MASKING, "raw", "truncation:keep_tokens=400", "rolling_summary", "hybrid:every=3,window=1,refresh=1"]


@given(turns=st.integers(0, 12), calls=st.booleans(), spec=st.sampled_from(SPECS))
def test_seen_turn_by_turn_or_at_once_it_is_the_same_and_nothing_is_changed(turns: int, calls: bool, spec: str) -> None:
    whole = messages(turns, calls=calls)
    before = copy.deepcopy(whole)
    growing = made(spec)
    for end in range(2, len(whole), 2):
        growing.request(whole[:end])
    sent = growing.request(whole)
    assert sent == made(spec).request(whole)
    assert whole == before
    assert sent[:2] == whole[:2]


def test_what_is_not_hidden_is_the_very_message() -> None:
    whole = messages(4)
    sent = made().request(whole)
    assert [new is old for new, old in zip(sent, whole, strict=True)] == [n not in {3, 5, 7} for n in range(10)]


def test_a_list_that_does_not_go_on_is_a_conversation_anew() -> None:
    one = made()
    one.request(messages(6))
    assert one.request(messages(3, start="Something else.")) == made().request(messages(3, start="Something else."))


@pytest.mark.parametrize("wrong", [[7], [{"role": "user", "content": "x"}, None]])
def test_what_cannot_be_read_is_sent_as_it_is(wrong: Any) -> None:
    one = made()
    assert one.request(wrong) is wrong
    assert isinstance(one.events[-1], Fallback)
    assert one.request(messages(5)) == messages(5)
    assert not one.shrink()


def test_shrinking_shows_less_until_nothing_more_can_go() -> None:
    one = made("raw")
    whole = messages(8)
    sizes = [len(str(one.request(whole)))]
    while one.shrink():
        sizes.append(len(str(one.request(whole))))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < sizes[0] / 4
    assert one.totals()["requests"] == sum(isinstance(event, Step) for event in one.events) == len(sizes)


def test_conversations_are_told_apart_by_their_lists() -> None:
    listed = Conversations(made)
    first, second = messages(0), messages(0)
    one, two = listed.of(first), listed.of(second)
    assert one is not two
    for whole, conversation in ((first, one), (second, two)):
        conversation.request(whole)
        whole.extend(messages(1)[2:])
        assert listed.of(whole) is conversation
        assert listed.known(whole) is conversation
    assert listed.known(messages(1)) is None


def test_an_agent_that_hands_on_copies_is_known_by_what_was_said() -> None:
    listed = Conversations(made)
    made_for = listed.of(messages(2))
    made_for.request(messages(2))
    assert listed.of(copy.deepcopy(messages(3))) is made_for
    assert listed.of(messages(3, start="Something else.")) is not made_for


def test_only_so_many_are_kept() -> None:
    listed = Conversations(made)
    kept = [messages(0) for _ in range(MOST + 1)]
    for whole in kept:
        listed.of(whole)
    assert listed.known(kept[0]) is None
    assert listed.known(kept[1]) is not None
