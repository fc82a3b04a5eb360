"""What the public API promises to a type checker: `make lint` checks this file, and running it checks the values."""

from typing import Any, Literal, assert_type

import pytest

import context_strategies
from context_strategies import (
    Context,
    History,
    Keep,
    Kind,
    Message,
    Session,
    Settings,
    State,
    Strategy,
    Summarizer,
    Summary,
    SummaryRequest,
    build,
    choose,
)
from context_strategies.chat import Manager


class Everything(Settings):
    """A strategy as an author writes one."""

    type: Literal["everything"] = "everything"

    def render(self, state: State, history: History) -> Context:
        return build(history, [Keep(0, len(history))])


class Terse:
    """A summarizer as an author writes one."""

    name = "terse"

    def __call__(self, request: SummaryRequest) -> Summary:
        return Summary(f"{request.last_turn} turns.", self.name)


def test_authors_classes_fit_the_protocols() -> None:
    strategy: Strategy = Everything()
    summarizer: Summarizer = Terse()
    session = Session(strategy, summarizer=summarizer)
    session.feed([Message(Kind.TASK, "Do it."), Message(Kind.ACTION, "ls"), Message(Kind.OBSERVATION, "a.py")])
    assert_type(session.context(), Context)
    assert [part.place for part in session.context()] == [0, 1, 2]


def test_what_is_given_back_has_a_type() -> None:
    assert_type(choose("masking"), Strategy)
    manager = Manager("masking:window=2")
    sent = manager([{"role": "user", "content": "Do it."}])
    assert sent == [{"role": "user", "content": "Do it."}]


def test_every_exported_name_is_there() -> None:
    exported: list[str] = dir(context_strategies)
    values: list[Any] = [getattr(context_strategies, name) for name in exported]
    assert all(value is not None for value in values)
    with pytest.raises(AttributeError, match="nothing"):
        _ = context_strategies.nothing
