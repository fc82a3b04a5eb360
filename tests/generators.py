"""Conversations, strategies and summarizers that property tests draw from, and what a session makes of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from context_strategies import Context, Part, Session, Strategy, choose
from context_strategies.history import Kind, Message
from context_strategies.prices import Prices, relative
from context_strategies.summarizers import Extractive, Summarizer, SummarizerError, Summary, SummaryRequest
from context_strategies.terms import Terms, terms_for

Turn = list[Message]

IDS = ("call_a", "call_b", "call_c")  # few, so that turns use the same ones again
COMMANDS = ("", "ls", "grep -rn 'needle' src/haystack | head -50 && cat src/haystack/straw_manager.py {braces}")
LINES = (
    "src/haystack/straw.py:214: def find_needle(self, needle_id=40921):\n",
    "ok\n",
    "Ошибка: файл не найден 文件未找到 🧵\n",
    "Traceback (most recent call last):\n  ValueError: bad straw\n",
    "<keep>TICKET-4711 is the cause</keep>\n",
    "no newline at the end \x00 \x85 ",
)
LEAST_LIMIT = 200


def _texts(longest: int) -> st.SearchStrategy[str]:
    """Empty, odd and long texts: a line, up to ``longest`` times."""
    repeated = st.builds(str.__mul__, st.sampled_from(LINES), st.sampled_from([1, 3, longest // 4, longest]))
    return st.one_of(repeated, st.sampled_from(["", " ", "\ud800 lone surrogate", "{x} {} %s"]))


# Strategies are made once, here: making them takes far longer than drawing from them.

TEXTS = _texts(8)
OUTPUTS = st.builds(
    Message,
    st.just(Kind.OBSERVATION),
    _texts(40),
    tool=st.sampled_from(["", "bash"]),
    command=st.sampled_from(COMMANDS),
    tags=st.sampled_from([frozenset[str](), frozenset({"keep_output"}), frozenset({"remove_output"})]),
    images=st.sampled_from([0, 0, 0, 0, 1]),
)


def _answer(output: Message, call_id: str) -> Message:
    return replace(output, call_ids=(call_id,))


STRAYS = st.one_of(
    OUTPUTS,
    st.builds(_answer, OUTPUTS, st.sampled_from([IDS[0], "call_nobody_made"])),
    st.builds(Message, st.sampled_from([Kind.NOTE, Kind.TASK]), TEXTS),
    st.builds(Message, st.just(Kind.NOTE), TEXTS, gone=st.just(100)),
)
"""What may stand anywhere: answers to nobody's call, notes, the user's word, outputs without a call."""


def _turn(
    action: Message, ids: Sequence[str], outputs: Turn, strays: list[tuple[Message, int]], complete: bool
) -> Turn:
    answers = [_answer(output, call_id) for output, call_id in zip(outputs, reversed(ids), strict=False)]
    after = answers if complete else answers[1:]
    if complete and not ids:
        after = outputs[:1]
    for stray, place in strays:
        after.insert(place, stray)
    return [replace(action, call_ids=tuple(ids)), *after]


def _turns(stray_places: st.SearchStrategy[int]) -> st.SearchStrategy[Turn]:
    return st.builds(
        _turn,
        st.builds(
            Message, st.just(Kind.ACTION), TEXTS, failed=st.booleans(), tied=st.sampled_from([False] * 5 + [True])
        ),
        st.sampled_from([(), IDS[:1], IDS[:1], IDS[1:2], IDS[:2], IDS]),
        st.lists(OUTPUTS, min_size=3, max_size=3),
        st.lists(st.tuples(STRAYS, stray_places), max_size=1),
        st.sampled_from([True, True, True, False]),
    )


TURNS = _turns(st.integers(0, 3))
"""An action and all its answers, or all but one, or none, with strays before, between or behind them."""

TIDY_TURNS = _turns(st.just(4))
"""The same with strays behind the answers, as chat APIs want it."""

HEADS = st.lists(
    st.one_of(st.builds(Message, st.sampled_from([Kind.SYSTEM, Kind.DEMO, Kind.TASK]), TEXTS), STRAYS), max_size=4
)
CONVERSATIONS = st.builds(lambda head, turns: [head, *turns], HEADS, st.lists(TURNS, max_size=12))
"""What stands before the first action, then turns."""

LIMITS = st.one_of(st.none(), st.integers(LEAST_LIMIT, 3_000))
REFRESH = st.one_of(st.integers(1, 4), st.builds(dict[str, int], min_tokens=st.integers(1, 500)), st.just("break_even"))
EVERY = st.one_of(st.integers(1, 5), st.just("break_even"))
PRESERVE = st.sampled_from([(), (r"TICKET-\d{1,9}",)])
TRIGGERS: dict[str, st.SearchStrategy[Any]] = {
    "at_tokens": st.one_of(st.none(), st.integers(50, 2_000)),
    "at_fraction": st.one_of(st.none(), st.just(0.5)),
    "max_tokens": LIMITS,
}
MASKING: dict[str, st.SearchStrategy[Any]] = {
    "window": st.integers(0, 5),
    "refresh": REFRESH,
    "keep_facts": st.integers(0, 3),
    "preserve": PRESERVE,
    "keep_lines": st.integers(0, 2),
    "placeholder": st.sampled_from(["[hidden]", "[{command}: {lines} lines, {characters} characters, {size}]" * 3]),
    "max_tokens": LIMITS,
}


def _of(name: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Strategy]:
    return st.fixed_dictionaries({"type": st.just(name)}, optional=fields).map(choose)


RAW = _of("raw")
HIDING = st.one_of(_of("masking", **MASKING), _of("truncation", keep_tokens=st.integers(1, 3_000), max_tokens=LIMITS))
SUMMARIZING = st.one_of(
    _of("llm_summary", every=EVERY, window=st.integers(0, 4), preserve=PRESERVE, **TRIGGERS),
    _of("rolling_summary", every=EVERY, buffer=st.integers(0, 3), preserve=PRESERVE, **TRIGGERS),
    _of("hybrid", every=EVERY, window=st.integers(0, 4), refresh=REFRESH, preserve=PRESERVE, **TRIGGERS),
)
STRATEGIES = st.one_of(RAW, HIDING, SUMMARIZING)
"""Every built-in strategy with any fields."""


@dataclass(frozen=True, slots=True)
class Says:
    """A summarizer that always says the same."""

    text: str
    name: str = "says"

    def __call__(self, request: SummaryRequest) -> Summary:
        return Summary(self.text, self.name)


@dataclass(frozen=True, slots=True)
class Fails:
    """A summarizer that never gives a summary."""

    name: str = "fails"

    def __call__(self, request: SummaryRequest) -> Summary:
        raise SummarizerError("none today")


SUMMARIZERS: tuple[Summarizer, ...] = (
    Extractive(),
    Says("The needle is found."),
    Says("word " * 500),
    Says(" "),
    Fails(),
)
PRICES = (relative(), relative().uncached(), relative(0.5, 1.0))


@dataclass(frozen=True, slots=True)
class Case:
    """A conversation under a strategy, on its terms."""

    turns: list[Turn]
    strategy: Strategy
    terms: Terms
    summarizer: Summarizer

    def session(self) -> Session:
        """A session that has seen nothing yet."""
        return Session(self.strategy, self.terms, self.summarizer)


def _case(talk: list[Turn], strategy: Strategy, prices: Prices, summarizer: Summarizer) -> Case:
    return Case(talk, strategy, terms_for(strategy, prices), summarizer)


CASES = st.builds(_case, CONVERSATIONS, STRATEGIES, st.sampled_from(PRICES), st.sampled_from(SUMMARIZERS))
"""Any conversation under any built-in strategy."""


def play(case: Case, check: Callable[[Session, Context, Sequence[Part]], None]) -> Session:
    """Feed a session one turn at a time and ``check`` each request: its session, context and messages."""
    session = case.session()
    for turn in case.turns:
        session.feed(turn)
        context = session.context()
        check(session, context, list(context))
    return session
