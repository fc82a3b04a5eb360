from collections.abc import Iterator
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("openhands.sdk", reason="the OpenHands SDK is not installed here")

from openhands.sdk.context.condenser.base import NoCondensationAvailableException
from openhands.sdk.event import Condensation, CondensationSummaryEvent, LLMConvertibleEvent, MessageEvent
from openhands.sdk.llm import LLM

from context_strategies import Context, History, Keep, Mask, Session, Settings, Summary, SummaryRequest, Terms, build
from context_strategies.placeholder import Placeholder
from openhands_plugin import v1
from openhands_plugin.v1 import conversation, conversations, messages_of
from openhands_plugin.v1.checkpoint import read
from openhands_plugin.v1.host import terms_of
from talks import Talk, texts

LONG = "a line of output that is long enough to be worth hiding, src/module_{n}.py\n" * 30

CONDENSERS: list[tuple[type[Any], dict[str, Any]]] = [
    (v1.MaskingCondenser, {"window": 3, "refresh": 1}),
    (v1.MaskingCondenser, {"window": 3, "refresh": "break_even"}),
    (v1.TruncationCondenser, {"keep_tokens": 2_000}),
    (v1.LLMSummaryCondenser, {"every": 4, "window": 3}),
    (v1.LLMSummaryCondenser, {"every": "break_even", "window": 3}),
    (v1.RollingSummaryCondenser, {"every": 4, "buffer": 0}),
    (v1.RollingSummaryCondenser, {"every": 3, "buffer": 2, "preserve": [r"\S*module_\d+"]}),
    (v1.HybridCondenser, {"window": 2, "every": 6, "refresh": 2}),
    (v1.HybridCondenser, {"window": 2, "every": 6, "refresh": "break_even"}),
    (v1.HybridCondenser, {"window": 2, "at_tokens": 6_000, "refresh": {"min_tokens": 1_000}}),
    (v1.HybridCondenser, {"window": 2, "max_tokens": 3_000}),
    (v1.MaskingCondenser, {"window": 4, "max_tokens": 2_500}),
]
ids = [f"{kind.__name__}-{'-'.join(map(str, fields.values()))}" for kind, fields in CONDENSERS]


class Said:
    """Summaries that say what they were asked."""

    name = "said"

    def __call__(self, request: SummaryRequest) -> Summary:
        asked = f"{request.first_turn}-{request.last_turn} after {request.turn}, {len(request.messages)} messages"
        return Summary(
            f"{request.previous[:200]} | {asked}, limit {request.limit}, task {request.task[:40]}", self.name
        )


@pytest.fixture(autouse=True, scope="module")
def said() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conversation, "summarizer_for", lambda _strategy, _llm, _answered: Said())
        yield


def grow(talk: Talk, n: int) -> None:
    """The next turn of a run with everything: outputs of all sizes, parallel calls, the user's word, tagged facts."""
    big = LONG.format(n=n)
    if n % 5 == 2:
        talk.turn(big, "ok", big)
    elif n % 7 == 3:
        talk.turn("ok", thought=f"<keep>fact number {n}</keep>")
    else:
        talk.turn(big)
    if n % 9 == 4:
        talk.user(f"And mind the style of module {n}.")


@pytest.mark.parametrize(("kind", "fields"), CONDENSERS, ids=ids)
def test_shows_what_a_session_over_the_whole_run_shows(kind: type[Any], fields: dict[str, Any]) -> None:
    """Forgotten events or not, live or anew: the model reads what the core shows of the whole history."""
    condenser = kind(**fields)
    talk, whole = Talk(), Talk()
    session = Session(condenser, terms_of(condenser, None), Said())
    fed = 0
    for n in range(30):
        grow(talk, n)
        grow(whole, n)
        messages = messages_of(whole.view.events)
        session.feed(messages[fed:])
        fed = len(messages)
        context = session.context()
        expected = [
            context.history[p.place].text if p.text is None and p.place is not None else p.text for p in context
        ]
        shown = [message.text for message in messages_of(talk.ask(condenser))]
        assert shown == expected


@pytest.mark.parametrize(("kind", "fields"), CONDENSERS, ids=ids)
def test_gives_the_same_bytes_after_a_reload(kind: type[Any], fields: dict[str, Any]) -> None:
    condenser = kind(**fields)
    talk = Talk()
    for n in range(25):
        grow(talk, n)
        shown = texts(talk.ask(condenser))
        again = kind(**fields).condense(talk.reloaded())
        assert not isinstance(again, Condensation)
        assert texts(again.events) == shown
        assert texts(talk.ask(condenser)) == shown


@pytest.mark.parametrize(("kind", "fields"), CONDENSERS, ids=ids)
def test_a_shared_instance_keeps_conversations_apart(kind: type[Any], fields: dict[str, Any]) -> None:
    shared = kind(**fields)
    one, other, alone = Talk(), Talk(), Talk()
    for n in range(12):
        for talk in (one, other, alone):
            grow(talk, n)
        other.turn("something else")
        first = texts(one.ask(shared))
        other.ask(shared)
        assert first == texts(alone.ask(kind(**fields)))


def test_one_summary_event_at_a_time_and_none_of_the_checkpoint_in_it() -> None:
    condenser = v1.RollingSummaryCondenser(every=3, buffer=1)
    talk = Talk()
    for n in range(20):
        grow(talk, n)
        shown = talk.ask(condenser)
        assert not [text for _, text in texts(shown) if "<!--" in text]
    summaries = [event for event in talk.view.events if isinstance(event, CondensationSummaryEvent)]
    assert len(summaries) == 1
    assert sum(isinstance(event, Condensation) for event in talk.events) == 6
    text, checkpoint = read(summaries[0].summary)
    assert checkpoint is not None
    assert checkpoint.state.summarized == 17
    assert text.startswith("[Summary of turns 1 to 17")


def test_a_tool_loop_that_began_with_thinking_is_never_cut() -> None:
    condenser = v1.LLMSummaryCondenser(every=2, window=1)
    talk = Talk()
    for n in range(12):
        talk.turn(LONG.format(n=n), thinking=n in {0, 6})
        talk.ask(condenser)  # checks every cut against the SDK's manipulation indices
    assert sum(isinstance(event, Condensation) for event in talk.events) == 1
    assert len([e for e in talk.view.events if "Step 7." in str(e)]) == 1


@pytest.mark.parametrize(("kind", "fields"), CONDENSERS, ids=ids)
def test_every_condensation_request_makes_progress_until_nothing_can_go(
    kind: type[Any], fields: dict[str, Any]
) -> None:
    condenser = kind(**fields)
    talk = Talk()
    for n in range(10):
        grow(talk, n)
        talk.ask(condenser)
    sizes = [sum(len(text) for _, text in texts(talk.ask(condenser)))]
    while len(sizes) < 3 or sizes[-1] < sizes[-2]:
        talk.request()
        outcome = condenser.condense(talk.view)
        assert isinstance(outcome, Condensation)
        talk.condensed(outcome)
        assert not talk.view.unhandled_condensation_request
        shown = texts(talk.ask(condenser))
        again = kind(**fields).condense(talk.reloaded())
        assert not isinstance(again, Condensation)
        assert texts(again.events) == shown
        sizes.append(sum(len(text) for _, text in shown))
    assert sizes[-1] < sizes[0] * 0.6
    talk.request()
    with pytest.raises(NoCondensationAvailableException):
        condenser.condense(talk.view)
    grow(talk, 11)
    assert talk.ask(condenser)


def test_an_error_shows_the_whole_view(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Talk()
    talk.turn("out")
    condenser = v1.MaskingCondenser()
    monkeypatch.setattr(conversations, "terms_of", lambda *_: 1 / 0)
    assert condenser.condense(talk.view) is talk.view


class Counting(Settings):
    """A third party's strategy: its state is a number, and it hides all but the newest turn."""

    type: Literal["counting"] = "counting"

    def start(self) -> Any:
        return 0

    def step(self, state: Any, history: History, terms: Terms) -> Any:
        return history.turns

    def render(self, state: Any, history: History) -> Context:
        edges = history.start_of(1), history.start_of(max(state, 1))
        return build(history, [Keep(0, edges[0]), Mask(*edges, HIDE), Keep(edges[1], len(history))])


HIDE = Placeholder("[hidden]")


def test_a_strategy_with_a_state_of_its_own_is_shown_and_condensed(caplog: pytest.LogCaptureFixture) -> None:
    condenser = v1.ContextCondenser(llm=LLM(model="openai/x", api_key="none"), strategy=f"{__name__}:Counting")
    talk = Talk()
    for n in range(4):
        talk.turn(LONG.format(n=n))
    assert [text for _, text in texts(talk.ask(condenser))].count("[hidden]") == 3
    talk.request()
    outcome = condenser.condense(talk.view)
    assert isinstance(outcome, Condensation)
    talk.condensed(outcome)
    talk.turn(LONG.format(n=5))
    assert "[hidden]" in str(texts(talk.ask(condenser)))
    assert not caplog.records


def test_nothing_of_a_conversation_outlives_it() -> None:
    condenser = v1.MaskingCondenser()
    for _ in range(3):
        talk = Talk()
        talk.turn("out")
        talk.ask(condenser)
    assert len(condenser._conversations._known) == 1


Op = tuple[str, list[int], bool]
OPS: st.SearchStrategy[Op] = st.one_of(
    st.tuples(st.just("turn"), st.lists(st.integers(0, 120), min_size=1, max_size=3), st.booleans()),
    st.tuples(st.just("user"), st.just([]), st.booleans()),
    st.tuples(st.just("request"), st.just([]), st.booleans()),
)


@settings(max_examples=15)
@given(st.lists(OPS, min_size=5, max_size=25), st.sampled_from(CONDENSERS))
def test_any_conversation_is_shown_whole_paired_and_the_same_after_a_reload(
    ops: list[Op], chosen: tuple[type[Any], dict[str, Any]]
) -> None:
    kind, fields = chosen
    condenser = kind(**fields)
    talk = Talk()
    for op, sizes, thinking in ops:
        if op == "turn":
            talk.turn(*("some line of output\n" * size for size in sizes), thinking=thinking)
        elif op == "user":
            talk.user("One more thing.")
        else:
            talk.request()
        try:
            shown = talk.ask(condenser)  # checks the cuts
        except NoCondensationAvailableException:
            return
        messages = LLMConvertibleEvent.events_to_messages(shown)
        calls = [call.id for message in messages for call in message.tool_calls or ()]
        assert calls == [message.tool_call_id for message in messages if message.role == "tool"]
        users = [e for e in talk.events if isinstance(e, MessageEvent) and e.source == "user"]
        assert [e.id for e in shown if isinstance(e, MessageEvent)] == [e.id for e in users]
        again = kind(**fields).condense(talk.reloaded())
        assert not isinstance(again, Condensation)
        assert texts(again.events) == texts(shown)
