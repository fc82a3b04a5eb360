"""What holds for every conversation under every strategy."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from context_strategies import Context, Drop, History, Keep, Mask, Part, Session, Strategy, Summarize, build, choose
from context_strategies.chat import Manager
from context_strategies.events import Event, Fallback
from context_strategies.history import IMAGE_TOKENS, PROTECTED, Kind, Message
from context_strategies.measure import Measure, count_messages
from context_strategies.messages import text_of
from context_strategies.placeholder import Clipped, Placeholder
from context_strategies.summarizers import Summary, SummaryRequest
from context_strategies.terms import Terms
from context_strategies.tighten import FLOOR
from context_strategies.tokens import estimate
from generators import (
    CASES,
    CONVERSATIONS,
    HEADS,
    PRICES,
    STRATEGIES,
    SUMMARIZERS,
    SUMMARIZING,
    TEXTS,
    TIDY_TURNS,
    Case,
    Turn,
    play,
)

# The rules, checked on the messages of a request and on nothing else.


def breaks_pairing(history: History, parts: Sequence[Part]) -> str:
    """Say what a provider would refuse: a call without its answer, or an answer without its call."""
    waiting: set[str] = set()
    for part in parts:
        message = Message(Kind.SUMMARY, part.text or "") if part.place is None else history[part.place]
        if message.kind in {Kind.ACTION, Kind.SUMMARY} and waiting:
            return f"{waiting} unanswered when message {part.place} comes"
        if message.kind is Kind.ACTION:
            waiting = set(message.call_ids)
        elif message.kind is Kind.OBSERVATION and message.call_ids:
            if not waiting.issuperset(message.call_ids):
                return f"message {part.place} answers {message.call_ids}, which nobody calls"
            waiting -= set(message.call_ids)
    if waiting and not history.pending:
        return f"{waiting} unanswered at the end"
    return "" if waiting or not history.pending else "the pending call is gone"


def torn(history: History, parts: Sequence[Part]) -> list[int]:
    """List the actions that are shown without the turn before, which they are tied to, or the other way round."""
    shown = {part.place for part in parts}
    starts = [index for index, message in enumerate(history.messages) if message.kind is Kind.ACTION]
    tied = [pair for pair in pairwise(starts) if history[pair[1]].tied and not history.orphans.intersection(pair)]
    return [index for before, index in tied if (before in shown) != (index in shown)]


def check_request(context: Context) -> None:
    """Pairing, the task, and no growth."""
    history, parts = context.history, list(context)
    assert breaks_pairing(history, parts) == ""
    assert torn(history, parts) == []
    assert [part.place for part in parts if part.place is not None] == sorted(
        {p.place for p in parts if p.place is not None}
    )
    task = [index for index, message in enumerate(history.messages) if message.kind in PROTECTED]
    assert [part for part in parts if part.place in task] == [Part(index, None) for index in task]
    assert sum(weight(history, part) for part in parts) <= history.tokens()
    for part in parts:
        if part.place is not None and part.text is not None:
            assert history[part.place].kind is Kind.OBSERVATION
            assert estimate(part.text) < history[part.place].tokens
    for edit in context.edits:
        if isinstance(edit, Summarize):
            replaced = [i for i in range(edit.start, edit.stop) if i not in history.orphans and i not in task]
            assert estimate(edit.text) <= sum(history[i].tokens for i in replaced)


def weight(history: History, part: Part) -> int:
    """Estimated tokens of one message of a request."""
    return history[part.place].tokens if part.place is not None and part.text is None else estimate(part.text or "")


@given(CASES)
def test_every_request_keeps_the_rules(case: Case) -> None:
    session = play(case, lambda _session, context, _parts: check_request(context))
    assert session.strategy is case.strategy, "no strategy of ours fails"


@given(CASES)
def test_what_a_model_refuses_as_too_long_is_shrunk_by_the_rules(case: Case) -> None:
    session = play(case, lambda *_: None)
    sizes = [session.context().tokens]
    while session.shrink():
        check_request(session.context())
        sizes.append(session.context().tokens)
        assert len(sizes) < 30, "no progress"
    assert sizes == sorted(sizes, reverse=True)


@given(CASES)
def test_a_contexts_figures_are_those_of_its_messages(case: Case) -> None:
    def check(session: Session, context: Context, parts: Sequence[Part]) -> None:
        history = session.history
        assert context.tokens == sum(weight(history, part) for part in parts)
        whole = {part.place for part in parts if part.text is None}
        assert context.hidden == len(set(range(len(history))) - whole - history.orphans)

    play(case, check)


@given(CASES)
def test_the_same_history_gives_the_same_bytes(case: Case) -> None:
    session = play(case, compare)
    fresh = case.session()
    fresh.feed(message for turn in case.turns for message in turn)
    at_once = fresh.context()
    assert list(at_once) == list(session.context())
    assert (at_once.edits, at_once.settled) == (session.context().edits, session.context().settled)


def compare(session: Session, context: Context, parts: Sequence[Part]) -> None:
    """Ask again, as a scaffold does that repeats a call."""
    assert session.context() is context
    assert list(context) == parts


@given(CASES)
def test_what_is_hidden_stays_hidden_and_placeholders_stay_as_they_are(case: Case) -> None:
    assume(not (folds_all(case) and any(message.tied for turn in case.turns for message in turn)))
    shown: dict[int, str | None] = {}
    seen = 0

    def check(_session: Session, context: Context, parts: Sequence[Part]) -> None:
        nonlocal seen
        now = {part.place: part.text for part in parts if part.place is not None}
        for place in range(seen):
            assert place in shown or place not in now, "gone, and back"
        for place, was in shown.items():
            if place in now and was is not None and not is_cut(was):
                assert now[place] == was, "a placeholder that changed"
            elif place in now and was is not None:
                assert now[place] is not None, "cut, and back in full"
        shown.clear()
        shown.update(now)
        seen = context.length

    play(case, check)


def is_cut(text: str) -> bool:
    return " characters cut ...]" in text or " left out: the context was full]" in text


@given(CASES)
def test_a_context_fits_its_limit_wherever_the_task_and_the_last_turn_do(case: Case) -> None:
    limit = case.terms.limit

    def check(session: Session, context: Context, parts: Sequence[Part]) -> None:
        history = session.history
        if limit and history.turns and history.turns == history.turn_of(len(history) - 1):
            summary = sum(weight(history, part) for part in parts if part.place is None and folds_all(case))
            assert context.tokens <= max(limit, least(history, parts) + summary)

    play(case, check)


def folds_all(case: Case) -> bool:
    """Whether the strategy may fold in the very last turn."""
    return getattr(case.strategy, "window", 1) == 0 or getattr(case.strategy, "buffer", 1) == 0


def least(history: History, parts: Sequence[Part]) -> int:
    """Estimated tokens of the task and the last turn with its outputs cut to the floor, and of turns it is tied to."""
    first, last = history.loose_end(history.turns - 1) + 1, history.turns
    total = 0
    for part in parts:
        if part.place is None:
            continue
        message, turn = history[part.place], history.turn_of(part.place)
        if message.kind is Kind.OBSERVATION and turn == last and (part.text is None or is_cut(part.text)):
            total += min(message.tokens, FLOOR)
        elif message.kind in PROTECTED or turn == 0 or turn >= first:
            total += weight(history, part)
    return total


@given(CONVERSATIONS, st.integers(0, 5))
def test_without_a_cache_discount_break_even_is_masking_every_turn(talk: list[Turn], window: int) -> None:
    uncached = Terms(PRICES[0].uncached())
    each = Session(choose({"type": "masking", "window": window, "refresh": 1}), uncached)
    paying = Session(choose({"type": "masking", "window": window, "refresh": "break_even"}), uncached)
    for turn in talk:
        each.feed(turn)
        paying.feed(turn)
        assert list(each.context()) == list(paying.context())


def exact(counted: Sequence[str]) -> list[int]:
    """Count by another measure than the estimate, so that masking may even cost tokens."""
    return [len(text) + 3 for text in counted]


@given(CASES)
def test_a_measure_weighs_and_compares_like_the_messages_do(case: Case) -> None:
    session = case.session()
    sizes: list[int] = []
    measure = Measure(session.history, sizes, exact)
    before: Context | None = None

    def size(part: Part) -> int:
        images = session.history[part.place].images if part.place is not None and part.text is None else 0
        text = session.history[part.place].text if part.text is None and part.place is not None else part.text or ""
        return exact([text])[0] + IMAGE_TOKENS * images

    for turn in case.turns:
        session.feed(turn)
        sizes += count_messages(turn, exact)
        now = session.context()
        assert measure.tokens(now) == sum(map(size, now))
        if before is not None:
            common = list(common_prefix(list(before), list(now)))
            shared = measure.shared(before, now)
            assert shared.tokens == sum(map(size, common))
            assert all(part.place < shared.index for part in common if part.place is not None)
        before = now


def common_prefix(old: Sequence[Part], new: Sequence[Part]) -> Iterator[Part]:
    for was, will in zip(old, new, strict=False):
        if was != will:
            return
        yield will


# What a strategy may ask for, however foolish.

HIDES = (Placeholder(), Placeholder("[x]", keep_lines=1), Clipped(50), lambda message: message.text + "!", lambda _: "")
PLACES = st.integers(-3, 60)
EDITS = st.one_of(
    st.builds(Keep, PLACES, PLACES),
    st.builds(Drop, PLACES, PLACES),
    st.builds(Mask, PLACES, PLACES, st.sampled_from(HIDES)),
    st.builds(Summarize, PLACES, PLACES, TEXTS),
)


@given(CONVERSATIONS, st.lists(EDITS, max_size=8))
def test_no_edits_break_the_rules(talk: list[Turn], edits: list[Keep | Drop | Mask | Summarize]) -> None:
    history = History(message for turn in talk for message in turn)
    context = build(history, edits)
    check_request(context)
    assert context.tokens == sum(weight(history, part) for part in context)
    assert build(history, context.edits).edits == context.edits, "what is safe stays as it is"


class UnreadableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


ERRORS = (
    ValueError("bad"),
    KeyError(),
    RecursionError(),
    MemoryError(),
    StopIteration(),
    AssertionError(),
    UnreadableError(),
)
PLACES_TO_FAIL = ("type", "start", "step", "summarized", "render", "hide", "nothing", "stale", "endless")


class Broken:
    """A third party's strategy that fails ``at`` one place from a turn on."""

    def __init__(self, at: str, turn: int, error: Exception) -> None:
        self.at, self.turn, self.error = at, turn, error
        self.old: Context | None = None

    def _fail(self, at: str) -> None:
        if self.at == at:
            raise self.error

    @property
    def type(self) -> str:
        self._fail("type")
        return "broken"

    def start(self) -> int:
        self._fail("start")
        return 0

    def step(self, state: int, history: History, terms: Terms) -> int | SummaryRequest:
        if history.turns >= self.turn:
            self._fail("step")
            if self.at in {"summarized", "type", "endless"} and state < history.turns:
                return SummaryRequest("", "", tuple(history.messages), 1, history.turns)
        return history.turns

    def summarized(self, state: int, request: SummaryRequest, text: str | None) -> int:
        self._fail("summarized")
        self._fail("type")
        return state if self.at == "endless" else request.last_turn

    def render(self, state: int, history: History) -> Any:
        if history.turns < self.turn:
            self.old = build(history, [Keep(0, len(history))])
            return self.old
        self._fail("render")
        if self.at in {"nothing", "stale"}:
            return None if self.at == "nothing" else self.old
        return build(history, [Mask(0, len(history), self._hide)])

    def _hide(self, message: Message) -> str:
        self._fail("hide")
        return ""


def broken_summarizer(error: Exception, *, answers: bool) -> Any:
    def summarize(request: SummaryRequest) -> Summary:
        if answers:
            wrong: Any = None
            return Summary(wrong, "wrong")
        raise error

    return summarize


@given(
    CONVERSATIONS,
    st.builds(Broken, st.sampled_from(PLACES_TO_FAIL), st.integers(0, 4), st.sampled_from(ERRORS)),
    st.sampled_from([0, 300]),
)
def test_a_strategy_that_raises_never_stops_the_run(talk: list[Turn], strategy: Broken, limit: int) -> None:
    events: list[Event] = []
    session = Session(strategy, Terms(limit=limit), record=events.append)
    for turn in talk:
        session.feed(turn)
        check_request(session.context())
    if session.strategy is not strategy:
        assert any(isinstance(event, Fallback) and event.instead == "masking from here on" for event in events)


@given(
    CONVERSATIONS,
    SUMMARIZING,
    st.sampled_from(ERRORS),
    st.booleans(),
)
def test_a_summarizer_or_recorder_that_raises_never_stops_the_run(
    talk: list[Turn], strategy: Strategy, error: Exception, answers: bool
) -> None:
    events: list[Event] = []

    def record(event: Event) -> None:
        events.append(event)
        raise error

    session = Session(strategy, Terms(), broken_summarizer(error, answers=answers), record)
    for turn in talk:
        session.feed(turn)
        check_request(session.context())
    assert session.strategy is strategy
    asked = any("turns 1 to" in getattr(event, "reason", "") for event in events)
    failed = any(isinstance(event, Fallback) and event.instead == "the next in line" for event in events)
    assert failed or not asked


# The same, on chat messages.


def chat(turn: Turn, *, parts: bool) -> Iterator[dict[str, Any]]:
    """Translate a turn into OpenAI's messages, contents as lists of parts or as strings."""
    for message in turn:
        content: Any = message.text
        if parts or message.images:
            content = [{"type": "text", "text": message.text}]
            content += [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}] * message.images
        if message.kind is Kind.ACTION:
            calls = [
                {"id": i, "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
                for i in message.call_ids
            ]
            yield {"role": "assistant", "content": content or None, **({"tool_calls": calls} if calls else {})}
        elif message.kind is Kind.OBSERVATION and message.call_ids:
            yield from ({"role": "tool", "tool_call_id": i, "content": content} for i in message.call_ids)
        else:
            yield {"role": "system" if message.kind is Kind.SYSTEM else "user", "content": content}


def refusal(messages: Sequence[Mapping[str, Any]]) -> str:
    """Say what OpenAI's API would refuse ``messages`` for: the answers to all calls of a message follow it directly."""
    waiting: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                return f"no call {message['tool_call_id']} before its answer"
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            return f"{waiting} must be answered first"
        waiting = {call["id"] for call in message.get("tool_calls", ())}
    return ""


@given(
    HEADS,
    st.lists(TIDY_TURNS, max_size=10),
    STRATEGIES,
    st.sampled_from(SUMMARIZERS),
    st.booleans(),
)
def test_a_manager_sends_what_the_api_takes_and_leaves_the_hosts_messages_alone(
    head: Turn, talk: list[Turn], strategy: Strategy, summarizer: Any, parts: bool
) -> None:
    manager = Manager(strategy, summarizer=summarizer)
    messages: list[dict[str, Any]] = []
    sent: list[Mapping[str, Any]] = []
    for turn in (head, *talk):
        messages += chat(turn, parts=parts)
        copied = copy.deepcopy(messages)
        sent = manager(messages)
        assert messages == copied
        assert refusal(sent) == "" or manager.session.history.pending
        assert [m for m in sent if m["role"] == "system"] == [m for m in messages if m["role"] == "system"]
        assert sum(map(size_of, sent)) <= sum(map(size_of, messages))
    assert Manager(strategy, summarizer=summarizer)(copy.deepcopy(messages)) == sent


def size_of(message: Mapping[str, Any]) -> int:
    text, images = text_of(message["content"])
    return estimate(text) + images * IMAGE_TOKENS
