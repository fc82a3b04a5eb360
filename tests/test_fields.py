"""Fields of recorded JSON, checked as they are taken."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_strategies.fields import items, printable, stem


@given(st.text() | st.text("\x1b\n…a", max_size=30), st.integers(1, 20))
def test_what_is_printable_is_one_bounded_line_and_stays_as_it_is(text: str, length: int) -> None:
    line = printable(text, length)
    assert line.isprintable()
    assert len(line) <= length
    assert printable(line, length) == line


def test_short_printable_text_is_left_alone() -> None:
    assert printable("a → b", 5) == "a → b"
    assert printable("abcdef", 5) == "abcd…"
    assert printable("abcd\n", 5) == "abcd…"


@pytest.mark.parametrize(("value", "said"), [(None, "x is missing, not a list"), ([{}, 3], "x[1] is a number, not an")])
def test_a_list_of_anything_but_objects_is_named(value: Any, said: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011 - compared below
        items(value, "x")
    assert str(error.value).startswith(said)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("runs/a-1.traj.json", "a-1"),
        ("runs/a-1.jsonl:3", "a-1:3"),
        ("runs/first/event_service/events", "first"),
        ("events", "events"),
        ("", ""),
    ],
)
def test_the_name_of_a_run_without_an_id(source: str, name: str) -> None:
    assert stem(source) == name
