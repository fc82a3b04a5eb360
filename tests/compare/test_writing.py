"""No two names are the same, and what can't be written is said."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_strategies.compare.writing import another, write
from context_strategies.errors import ConfigError


@given(st.lists(st.sampled_from(["a", "a-2", "a-2-2", "a-3", "b", ""]), max_size=12))
def test_names_differ_and_begin_as_they_were(names: list[str]) -> None:
    taken: dict[str, int] = {}
    given_out = [another(name, taken, "-") for name in names]
    assert len(set(given_out)) == len(names)
    assert all(out.startswith(name) for out, name in zip(given_out, names, strict=True))
    assert given_out[:1] == names[:1]


def test_what_can_not_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"file/x: can't be written: "):
        write(tmp_path / "file" / "x", "")
