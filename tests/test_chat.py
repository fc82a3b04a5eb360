import copy
from typing import Any

import pytest

from chat_loop import HEAD, OUTPUT, answer, call, loop
from context_strategies import ConfigError, choose
from context_strategies.chat import Manager


def test_a_manager_masks_copies_and_sends_the_rest_as_it_is() -> None:
    messages = loop(4)
    before = copy.deepcopy(messages)
    sent = Manager("masking:window=2,refresh=1")(messages)
    assert messages == before
    assert [new is old for new, old in zip(sent, messages, strict=True)] == [n not in {3, 5} for n in range(10)]
    assert sent[3] == {**messages[3], "content": sent[3]["content"]}
    assert sent[3]["content"].startswith('[Output of "cat 0.py" hidden: 40 lines')


def test_a_list_of_parts_stays_one() -> None:
    parts = [{"type": "text", "text": OUTPUT}, {"type": "image_url", "image_url": {"url": "x"}}]
    messages = [*HEAD, call("a", "ls"), answer("a", parts), call("b", "ls"), answer("b")]
    sent = Manager("masking:window=1,refresh=1,placeholder='[{size}]'")(messages)
    assert sent[3]["content"] == [{"type": "text", "text": "[40 lines, 680 characters, 1 image]"}]


def test_a_summary_is_the_users_message() -> None:
    sent = Manager("rolling_summary")(loop(4))
    assert [message["role"] for message in sent] == ["system", "user", "user", *["assistant", "tool"] * 2]
    assert sent[2]["content"].startswith("[Summary of turns 1 to 2")


def test_a_growing_list_goes_on_and_another_starts_anew() -> None:
    manager = Manager("masking:window=1,refresh=1")
    for turns in range(6):
        manager(loop(turns))
    assert manager.session.history.turns == 5
    manager([*HEAD[:1], {"role": "user", "content": "Something else."}, *loop(2)[2:]])
    assert manager.session.history.turns == 2
    assert manager(loop(1)) == loop(1)


def test_the_same_list_gives_the_same_messages() -> None:
    manager = Manager("hybrid:window=1,every=2,refresh=1")
    for turns in range(7):
        sent = manager(loop(turns))
        assert manager(loop(turns)) == sent
        assert Manager("hybrid:window=1,every=2,refresh=1")(loop(turns)) == sent


def test_marks_that_a_host_sets_later_start_no_new_conversation() -> None:
    messages = loop(3)
    manager = Manager("masking:window=1,refresh=1")
    manager(messages)
    messages[-1]["cache_control"] = {"type": "ephemeral"}
    messages += loop(4)[-2:]
    sent = manager(messages)
    assert manager.session.history.turns == 4
    assert sent[7]["cache_control"] == {"type": "ephemeral"}


def test_the_strategy_may_be_named_configured_or_made() -> None:
    for strategy in ("raw", {"type": "raw"}, choose("raw")):
        assert Manager(strategy)(loop(1)) == loop(1)
    with pytest.raises(ConfigError, match="unknown strategy"):
        Manager("nothing")


def test_an_error_is_said_once_and_everything_is_sent_from_there_on(caplog: pytest.LogCaptureFixture) -> None:
    manager = Manager("masking:window=1,refresh=1")
    messages: list[Any] = loop(3)
    assert manager(messages) != messages
    broken = [*messages, object()]
    assert manager(broken) == broken
    assert "nothing is hidden from here on" in caplog.text
    assert manager(messages) == messages
