"""What a run would have cost: closed forms, the paper's own case, and recorded runs."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_strategies import History, Kind, Message, Summary, SummaryRequest, choose
from context_strategies.cache import Automatic, NoCache
from context_strategies.prices import Prices, Rates, Usage, relative
from context_strategies.replay import Replay, Weighed, replay, weigh
from context_strategies.terms import Terms, terms_for
from context_strategies.tokens import Counter
from context_strategies.trajectories import Call, Trajectory

WORDS = Counter("words", lambda texts: [len(text.split()) for text in texts])


def words(count: int) -> str:
    return "word " * count


def run_of(turns: int, base: int, action: int, observation: int) -> Weighed:
    """A run of ``turns`` calls whose parts have these sizes in words; the last call's answer is not in the history."""
    messages = [Message(Kind.SYSTEM, words(base))]
    for _ in range(turns - 1):
        messages.append(Message(Kind.ACTION, words(action), call_ids=("c",)))
        messages.append(Message(Kind.OBSERVATION, words(observation), call_ids=("c",), command="run"))
    calls = tuple(Call(1 + 2 * turn, Usage(1, output=action)) for turn in range(turns))
    return weigh(Trajectory("synthetic", "synthetic", "test", "", History(messages), calls), WORDS)


def replayed(run: Weighed, spec: str, prices: Prices | None = None) -> Replay:
    prices = prices or relative().uncached()
    strategy = choose(spec)
    return replay(run, strategy, terms_for(strategy, prices), lambda: Automatic(prices))


@given(n=st.integers(1, 60), base=st.integers(1, 300), a=st.integers(1, 60), o=st.integers(1, 200))
def test_raw_has_its_closed_form(n: int, base: int, a: int, o: int) -> None:
    assert replayed(run_of(n, base, a, o), "raw").prompt == n * base + (a + o) * n * (n - 1) // 2


@given(
    n=st.integers(1, 60), m=st.integers(0, 20), base=st.integers(1, 300), a=st.integers(1, 60), o=st.integers(30, 200)
)
def test_masking_has_its_closed_form(n: int, m: int, base: int, a: int, o: int) -> None:
    m = min(m, n)
    run = run_of(n, base, a, o)
    p = len(f'[Output of "run" hidden: 1 line, {5 * o:,} characters. Run it again if you need it.]'.split())
    expected = n * base + a * n * (n - 1) // 2 + o * (m * n - m * (m + 1) // 2) + p * (n - m) * max(n - m - 1, 0) // 2
    assert replayed(run, f"masking:window={m},refresh=1").prompt == expected


@given(
    n=st.integers(2, 60), b=st.integers(1, 20), base=st.integers(1, 300), a=st.integers(1, 60), o=st.integers(1, 200)
)
def test_truncation_has_its_closed_form(n: int, b: int, base: int, a: int, o: int) -> None:
    b = min(b, n - 1)
    run = run_of(n, base, a, o)
    turn = run.trajectory.history.tokens(1, 3)
    assert replayed(run, f"truncation:keep_tokens={turn * b}").prompt == n * base + (a + o) * (b * n - b * (b + 1) // 2)


@dataclass(frozen=True, slots=True)
class Fixed:
    """A summarizer whose every summary has the same length."""

    size: int
    name: str = "fixed"

    def __call__(self, request: SummaryRequest) -> Summary:
        return Summary(words(self.size), self.name)


@given(n=st.integers(20, 80), k=st.integers(3, 8), b=st.integers(0, 2), o=st.integers(150, 400), s=st.integers(20, 60))
def test_rolling_has_its_closed_form_within_two_percent(n: int, k: int, b: int, o: int, s: int) -> None:
    base, a = 1_000, 50
    strategy = choose(f"rolling_summary:every={k},buffer={b}")
    done = replay(run_of(n, base, a, o), strategy, Terms(relative().uncached()), NoCache, author=Fixed(s))
    title = len(["[Summary", "of", "turns", "1", "to", "10,", "which", "are", "no", "longer", "shown]"])
    per_turn = a + o
    # The form spreads each cycle evenly; the last, unfinished one is off by at most half a cycle's turns.
    context = n * base + per_turn * k * (k - 1) / 2 + (n - k) * (s + title + per_turn * (b + (k - 1) / 2))
    unfinished = per_turn * k * k / 8
    assert done.prompt == pytest.approx(context, rel=0.02, abs=unfinished)
    assert len(done.summaries) == (n - 1) // k


CODER = Prices(
    "Qwen3-Coder-480B (the paper's prices)",
    (
        (0, Rates(1e-6, 5e-6, 0.4e-6, 1e-6)),
        (32_000, Rates(1.8e-6, 9e-6, 0.72e-6, 1.8e-6)),
        (128_000, Rates(3e-6, 15e-6, 1.2e-6, 3e-6)),
    ),
)


@pytest.mark.parametrize(
    ("turns", "expected"), [(25, 1.22), (38, 1.07), (52, 0.73), (75, 0.50), (110, 0.38), (190, 0.30)]
)
def test_the_papers_savings_by_run_length(turns: int, expected: float) -> None:
    run = run_of(turns, 2_500, 145, 575)
    ratio = replayed(run, "masking:refresh=1", CODER).cost / replayed(run, "raw", CODER).cost
    assert ratio == pytest.approx(expected, abs=0.1)


@given(n=st.integers(1, 60), m=st.integers(0, 12), o=st.integers(1, 300))
def test_without_a_discount_break_even_is_every_turn(n: int, m: int, o: int) -> None:
    run = run_of(n, 100, 20, o)
    assert replayed(run, f"masking:window={m}").calls == replayed(run, f"masking:window={m},refresh=1").calls


def test_summaries_are_billed() -> None:
    run = run_of(60, 100, 20, 200)
    done = replayed(run, "llm_summary")
    free = replayed(run, "llm_summary:summarizer=extractive")
    assert len(done.summaries) == 2
    assert done.summary_cost > 0
    assert free.summaries == ()
    assert free.cost < done.cost


def test_recorded_output_wins_over_a_count() -> None:
    run = run_of(2, 10, 5, 30)
    assert [call.usage.output for call in replayed(run, "raw").calls] == [5, 5]
