"""Odd places and odd events: said, and passed over."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from context_strategies import Terms, choose


def test_where_events_are_written(tmp_path: Path) -> None:
    from openhands.core.config.openhands_config import OpenHandsConfig

    from openhands_plugin.v0.host import events_path

    def path(**settings: Any) -> Path | None:
        return events_path(OpenHandsConfig(**settings), "a/b", None)

    saved = tmp_path / "new" / "run.json"
    assert path(save_trajectory_path=str(saved)) == tmp_path / "new" / "run.context.jsonl"
    assert saved.parent.is_dir()
    assert path(save_trajectory_path=str(tmp_path)) == tmp_path / "a_b.context.jsonl"
    stored = path(file_store="local", file_store_path=str(tmp_path / "store"))
    assert stored
    assert stored.name == "context.jsonl"
    assert stored.is_relative_to(tmp_path / "store")
    assert stored.parent.is_dir()
    assert path(file_store="memory") is None


def test_an_event_of_an_unknown_kind_is_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    from openhands.events.event import Event

    from openhands_plugin.v0.conversation import Conversation

    one = Conversation(choose("masking"), Terms(), None, lambda _event: None, 30_000)
    one.follow([Event()])
    assert "is shown as it is" in caplog.text
    assert len(one.session.history) == 0


def test_marks_that_cannot_be_set_leave_the_messages_as_they_are(caplog: pytest.LogCaptureFixture) -> None:
    from openhands_plugin.v0.marks import _marking

    messages = [SimpleNamespace(role="user", content=[])]
    get_messages: Any = lambda _agent: messages  # noqa: E731 - stands for a method
    agent: Any = SimpleNamespace(llm=None)
    assert _marking(get_messages)(agent) is messages
    assert "cache marks not set" in caplog.text


@pytest.mark.parametrize(
    ("fields", "said"),
    [({"llm_config": 7}, r"llm_config=7 is not the name of an \[llm.NAME\] section"), ({"window": -1}, "window=-1")],
)
def test_a_wrong_field_is_said_in_one_line(fields: dict[str, Any], said: str) -> None:
    from openhands_plugin.v0.config import checked

    with pytest.raises(ValueError, match=said) as raised:
        checked(fields, "hybrid")
    assert "\n" not in str(raised.value)


def test_text_that_is_no_list_stays_text() -> None:
    from openhands_plugin.v0.config import _structured

    assert _structured("[a, b]") == ["a", "b"]
    assert _structured("null") is None
    assert _structured("break_even") == "break_even"
    assert _structured("{a") == "{a"
    assert _structured(3) == 3
