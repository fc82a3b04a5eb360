"""How much of a request each cache model takes from the request before."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_strategies.cache import Automatic, Cache, Marked, NoCache
from context_strategies.history import History, Kind, Message
from context_strategies.prices import Usage, relative
from context_strategies.replay import Weighed, replay, weigh
from context_strategies.strategies import choose
from context_strategies.terms import terms_for
from context_strategies.tokens import Counter
from context_strategies.trajectories import Call, Trajectory

PRICES = relative()
METERS: tuple[Callable[[], Cache], ...] = (
    NoCache,
    lambda: Automatic(PRICES),
    lambda: Marked(PRICES),
    lambda: Marked(PRICES, settled=False),
)
WORDS = Counter("words", lambda texts: [len(text.split()) for text in texts])


def run_of(sizes: list[int], calls_a_turn: int = 1) -> Weighed:
    """A run with an output of each of ``sizes`` words a turn."""
    messages = [Message(Kind.SYSTEM, "word " * 50)]
    upto = [1]
    for size in sizes:
        ids = tuple(f"c{n}" for n in range(calls_a_turn))
        messages.append(Message(Kind.ACTION, "word " * 5, call_ids=ids))
        messages.extend(Message(Kind.OBSERVATION, "word " * size, call_ids=(one,), command="run") for one in ids)
        upto.append(len(messages))
    calls = tuple(Call(place, Usage(1, output=5)) for place in upto)
    return weigh(Trajectory("synthetic", "synthetic", "test", "m", History(messages), calls), WORDS)


def usages(spec: str, meter: Callable[[], Cache], sizes: list[int], calls_a_turn: int = 1) -> list[Usage]:
    strategy = choose(spec)
    done = replay(run_of(sizes, calls_a_turn), strategy, terms_for(strategy, PRICES), meter)
    return [call.usage for call in done.calls]


def test_without_a_cache_everything_is_new() -> None:
    assert [usage.cached for usage in usages("raw", NoCache, [100, 100])] == [0, 0, 0]


def test_an_automatic_cache_holds_the_request_before() -> None:
    found = usages("raw", lambda: Automatic(PRICES), [100, 100])
    assert [usage.prompt for usage in found] == [50, 155, 260]
    assert [usage.cached for usage in found] == [0, 50, 155]
    assert [usage.written for usage in found] == [50, 105, 105]


def test_an_automatic_cache_has_a_minimum_and_steps() -> None:
    found = usages("raw", lambda: Automatic(PRICES, minimum=100, granularity=64), [100, 100])
    assert [usage.cached for usage in found] == [0, 0, 128]


def test_a_mask_ends_the_common_prefix_where_it_lands() -> None:
    found = usages("masking:window=1,refresh=1", lambda: Automatic(PRICES), [100, 100, 100])
    assert [usage.cached for usage in found] == [0, 50, 55, 75]


def test_marks_hold_the_prefix_of_a_growing_history() -> None:
    found = usages("raw", lambda: Marked(PRICES), [100, 100])
    assert [usage.cached for usage in found] == [0, 0, 155]  # the first request has no message that is marked
    assert found[2].written == 105


def test_an_entry_further_back_than_the_look_back_is_not_found() -> None:
    few = usages("raw", lambda: Marked(PRICES, settled=False), [10] * 4, calls_a_turn=9)
    many = usages("raw", lambda: Marked(PRICES, settled=False), [10] * 4, calls_a_turn=12)
    assert few[-1].cached > 0
    assert many[-1].cached == 0


def test_a_prefix_below_the_minimum_is_not_written() -> None:
    found = usages("raw", lambda: Marked(PRICES, minimum=200), [100, 100])
    assert [usage.written for usage in found] == [0, 0, 260]


@pytest.mark.parametrize("window", [1, 3, 10])
@pytest.mark.parametrize("refresh", ["1", "5", "10", "break_even", "{min_tokens: 500}"])
def test_our_marks_come_within_two_percent_of_automatic_caching(window: int, refresh: str) -> None:
    sizes = [37 * n % 400 + 30 for n in range(60)]
    spec = f"masking:window={window},refresh={refresh}"
    automatic = sum(map(PRICES.price, usages(spec, lambda: Automatic(PRICES), sizes)))
    ours = sum(map(PRICES.price, usages(spec, lambda: Marked(PRICES), sizes)))
    assert ours <= automatic * 1.02


@given(
    st.lists(st.integers(1, 400), min_size=1, max_size=40),
    st.sampled_from(["raw", "masking:window=2,refresh=3", "hybrid:every=5,window=2"]),
)
def test_no_cache_model_reads_or_writes_more_than_the_prompt(sizes: list[int], spec: str) -> None:
    for meter in METERS:
        for usage in usages(spec, meter, sizes):
            assert usage.cached >= 0
            assert usage.written >= 0
            assert usage.cached + usage.written <= usage.prompt
