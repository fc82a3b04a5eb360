"""YAML of the user's: one line for what is wrong, and nothing that unfolds without end."""

from pathlib import Path

import pytest

from context_strategies.errors import ConfigError
from context_strategies.strategies import choose
from context_strategies.yaml_text import MOST_VALUES, parse_yaml, read_yaml

LEVELS = [f"a{n}: &a{n} [{', '.join(['x' if n == 0 else f'*a{n - 1}'] * 9)}]" for n in range(9)]


def test_aliases_that_unfold_a_little_are_fine() -> None:
    found = parse_yaml("base: &b {input_cost_per_token: 1.0}\nm: {<<: *b, output_cost_per_token: 2.0}", "wrong")
    assert found["m"] == {"input_cost_per_token": 1.0, "output_cost_per_token": 2.0}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("\n".join(LEVELS), f"wrong: aliases unfold to more than {MOST_VALUES:,} values"),
        ("&a [*a]", f"wrong: aliases unfold to more than {MOST_VALUES:,} values"),
        ("[" * 3_000, "wrong: nested too deeply"),
        ("day: 2024-99-99", "wrong: month must be in 1..12"),
        ("!!python/name:os.system", "wrong: could not determine a constructor for the tag"),
        ("a: [", "wrong: while parsing a flow node"),
        ("\0", "wrong: unacceptable character #x0000"),
    ],
)
def test_what_is_wrong_is_one_line(content: str, said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse_yaml(content, "wrong")
    assert str(raised.value).startswith(said)
    assert str(raised.value).isprintable()


@pytest.mark.parametrize(
    ("path", "said"),
    [(Path("absent.yaml"), "No such file or directory"), (Path("a\0.yaml"), "embedded null byte"), (Path("/"), "Is a")],
)
def test_a_file_that_cannot_be_read(path: Path, said: str) -> None:
    with pytest.raises(ConfigError, match=f"can't be read: {said}"):
        read_yaml(path)


def test_a_terminal_is_shown_no_control_characters() -> None:
    with pytest.raises(ConfigError) as raised:
        choose("\x1b[31mred\n" + "x" * 5_000)
    assert str(raised.value).startswith('unknown strategy "\\x1b[31mred\\nxxx')
    assert str(raised.value).isprintable()
    assert len(str(raised.value)) < 1_100
