"""Counting: the estimate's rule, and exact counts against tiktoken."""

import sys
from collections.abc import Callable
from importlib.util import find_spec
from math import ceil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_strategies.tokens import BYTES_PER_TOKEN, ESTIMATE, FEW, best_counter, estimate
from context_strategies.trajectories import Trajectory, read

VOCABULARY = "fb374d419588a4632f3f557e76b4b70aebbca790"
"""How tiktoken calls its cached o200k vocabulary."""

HOSTILE = (
    "",
    " ",
    "\n" * 500,
    " " * 1_000 + "x",
    "\t \r\n\x0b\x0c\x85\u2028\u00a0\u3000",
    "\x00" * 50,
    "a" * 5_000,
    "=" * 3_000,
    "0123456789" * 300,
    "<|endoftext|><|endofprompt|><|im_start|>",
    "I'm you'LL we’ve IT'S don't",
    "def f(x):\n    return x  # Größe 文件 🧵👩‍👩‍👧‍👦🇩🇪\n",
    "e\u0301\u0301\u0301 \u202e\u200d\ufeff \ufffd",
    "\U0010ffff\ue000",
    "ЖдутПользователиCamelCaseHTTPServer2XMLÜber",
    '{"a": [1, 2, {"b": "\\u00e9\\n"}]}' * 50,
    "iVBORw0KGgoAAAANSUhEUgAA" * 200,
)


def test_the_estimate_counts_bytes_and_rounds_up() -> None:
    assert [estimate(text) for text in ("", "a", "abc", "abcd", "é", "🧵")] == [0, 1, 1, 2, 1, 2]
    assert estimate("\ud800") == 1, "a lone surrogate is three bytes"
    assert ESTIMATE.count(["abcd", ""]) == [2, 0]


@given(st.text(st.characters(exclude_categories=[]), max_size=50), st.text(max_size=50))
def test_the_estimate_never_exceeds_that_of_the_parts(left: str, right: str) -> None:
    whole = len((left + right).encode("utf-8", "surrogatepass"))
    assert estimate(left + right) == ceil(whole / BYTES_PER_TOKEN) <= estimate(left) + estimate(right)


def test_without_the_exact_counter_the_estimate_serves_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "toktok", None)
    assert best_counter() is ESTIMATE
    assert "estimate" in ESTIMATE.name


@pytest.fixture(scope="module")
def oracle() -> Callable[[str], int]:
    """Return tiktoken's count by the vocabulary that litellm brings: no network."""
    tiktoken = pytest.importorskip("tiktoken")
    spec = find_spec("litellm")
    places = spec.submodule_search_locations if spec else None
    folder = Path(next(iter(places))) / "litellm_core_utils" / "tokenizers" if places else None
    if folder is None or not (folder / VOCABULARY).is_file():
        pytest.skip("no o200k vocabulary for tiktoken: this litellm brings none")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        encoding = tiktoken.get_encoding("o200k_base")
    return lambda text: len(encoding.encode_ordinary(text.encode("utf-8", "replace").decode()))


@pytest.fixture(scope="module")
def exact() -> Callable[[list[str]], list[int]]:
    pytest.importorskip("toktok")
    counter = best_counter()
    assert counter.name == "o200k (toktok)"
    return counter.count


def test_exact_counts_are_tiktokens_on_hostile_text(
    oracle: Callable[[str], int], exact: Callable[..., list[int]]
) -> None:
    texts = [*HOSTILE, "lone \ud800 surrogate", "\udfff" * 20]
    assert exact(texts) == [oracle(text) for text in texts]


def test_many_texts_count_what_each_alone_does(exact: Callable[..., list[int]]) -> None:
    many = [*HOSTILE, "lone \ud800 surrogate"] * 10
    assert len(many) > FEW
    assert exact(many) == [count for text in many for count in exact([text])]


@given(st.lists(st.text(st.characters(exclude_categories=[]), max_size=60), max_size=5))
def test_exact_counts_are_tiktokens_on_any_text(
    oracle: Callable[[str], int], exact: Callable[..., list[int]], texts: list[str]
) -> None:
    assert exact(texts) == [oracle(text) for text in texts]


def test_exact_counts_are_tiktokens_on_every_recorded_message(
    recordings: Path, oracle: Callable[[str], int], exact: Callable[..., list[int]]
) -> None:
    counted = 0
    for run in read([recordings]):
        if isinstance(run, Trajectory):
            texts = [message.text for message in run.history.messages]
            assert exact(texts) == [oracle(text) for text in texts], run.source
            counted += len(texts)
    assert counted > 2_000
