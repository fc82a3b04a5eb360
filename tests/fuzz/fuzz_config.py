"""Strategies and prices as users write them: what is wrong is one line, whatever it is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_strategies.catalogue import prices_of, read_prices
from context_strategies.compare.estimate import outputs_of
from context_strategies.errors import ConfigError
from context_strategies.strategies import choose, strategy_classes
from fuzz.conftest import bounded
from fuzz.fuzz_readers import is_line

Hunt = Callable[[Callable[[], None]], None]

SCALARS = [
    *("0", "-1", "1e-6", "1e999", ".inf", ".nan", "~", "true", "''", "auto", "break_even", "model", "2024-99-99"),
    *("9" * 5_000, "0x" + "f" * 40, "1:60", '"\\0"', '"\\ud800"', "!!int x", "!!python/name:os.system"),
    *("&a [*a]", "*a"),
    *("[1, 2]", "{min_tokens: 5}", "[" * 3_000, "{a: " * 1_000, "? [1]\n: 2", "<<: 1", "a\nb", "\0", "\u2028", "{"),
]
BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9)
)
FIELDS = sorted({name for cls in strategy_classes().values() for name in cls.model_fields} | {"windw", "", "a b"})
KEYS = [
    *("input_cost_per_token", "output_cost_per_token", "cache_read_input_token_cost", "max_input_tokens"),
    *("input_cost_per_token_above_200k_tokens", "prompt_cache_min_tokens", "litellm_provider", "tiered_pricing", "x"),
]

scalars = st.sampled_from(SCALARS) | st.text(max_size=12)
ODD_NAMES = ["maskng", "", "a.b", "a:b", ":", "re:compile", "\0", "a\nb", "\ud800"]
names = st.sampled_from([*strategy_classes()] * 8 + ODD_NAMES)  # what is unknown is looked up slowly, in every package
pairs = st.builds("{}={}".format, st.sampled_from(FIELDS), scalars)
specs = st.builds(lambda name, fields: ":".join([name, ",".join(fields)]), names, st.lists(pairs, max_size=3)) | names


def mappings(keys: list[str]) -> st.SearchStrategy[str]:
    """YAML of a mapping, with its lines in any state."""
    lines = st.builds("{}: {}".format, st.sampled_from(keys), scalars) | scalars | st.just(BOMB)
    return st.lists(lines, max_size=4).map("\n".join)


def refused(act: Callable[[], Any]) -> None:
    """Run ``act``, which may raise a ConfigError of one line and nothing else."""
    said = "nothing"
    with bounded():
        try:
            act()
        except ConfigError as error:
            said = str(error)
    assert is_line(said), said


def test_option_strings(hunt: Hunt) -> None:
    @given(specs)
    def find(spec: str) -> None:
        refused(lambda: choose(spec))

    hunt(find)


def test_strategy_files(hunt: Hunt, tmp_path: Path) -> None:
    path = tmp_path / "strategy.yaml"

    @given(st.sampled_from([*strategy_classes(), "masking", "x", "[1]"]), mappings(FIELDS), st.binary(max_size=3))
    def find(name: str, content: str, tail: bytes) -> None:
        path.write_bytes(f"type: {name}\n{content}".encode("utf-8", "surrogatepass") + tail)
        refused(lambda: choose(path))

    hunt(find)


def test_mappings(hunt: Hunt) -> None:
    plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    values = plain | st.lists(plain, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), plain, max_size=3)

    @given(names, st.dictionaries(st.sampled_from(FIELDS), values, max_size=4))
    def find(name: str, fields: dict[str, Any]) -> None:
        refused(lambda: choose({"type": name} | fields))

    hunt(find)


def test_price_files(hunt: Hunt, tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"

    def priced() -> None:
        entries = read_prices(path)
        for model in entries:
            found = prices_of(str(model), entries)
            assert found.price(found.usage(1000, 500, 10)) >= 0

    @given(st.lists(mappings(KEYS), max_size=2), st.binary(max_size=3))
    def find(entries: list[str], tail: bytes) -> None:
        content = "".join(f"m{number}:\n  {entry}\n".replace("\n", "\n  ") for number, entry in enumerate(entries))
        path.write_bytes(content.replace("  m", "m").encode("utf-8", "surrogatepass") + tail)
        refused(priced)

    hunt(find)


@pytest.mark.parametrize("steps", [1, 40])
def test_sizes(hunt: Hunt, steps: int) -> None:
    @given(st.from_regex(r"[-0-9.,_ ]{0,12}", fullmatch=True) | scalars)
    def find(spec: str) -> None:
        refused(lambda: outputs_of(spec, steps))

    hunt(find)
