"""What every strategy has in common: its protocol, the state it folds, the fields all share."""

import re
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, Protocol

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PositiveInt

from context_strategies.context import Context
from context_strategies.history import History
from context_strategies.refresh import Account
from context_strategies.summarizers.base import SummaryRequest
from context_strategies.summarizers.litellm import LiteLLM
from context_strategies.terms import Terms

WINDOW = "Newest turns shown verbatim. A larger window costs more and hides less."
REFRESH = (
    "When older observations are hidden: every k turns (1: each turn, which breaks the cached prefix each turn), "
    "{min_tokens: n}, or break_even: when hiding pays at the model's cache prices."
)
EVERY = (
    "Turns folded into the running summary at a time, or break_even: when the saving pays for the summary call. "
    "Smaller keeps the context shorter and pays for more calls."
)
SUMMARIZER = (
    "Who writes the summary: host (the scaffold's own model; extractive where there is none), extractive (no model, "
    "free), a model's name, or {model: ..., api_base: ..., ...}."
)
PRESERVE = "Regular expressions; what they match in old turns stays verbatim, in the summary or the placeholder."
AT_TOKENS = "Summarize when the request reaches this many estimated tokens, instead of every so many turns."
AT_FRACTION = "Summarize when the request reaches this share of max_tokens, instead of every so many turns."


@dataclass(frozen=True, slots=True)
class State:
    """What a strategy carries from turn to turn.

    Observations of turns up to ``boundary`` are masked; turns up to ``summarized`` stand in ``summary``; for those up
    to ``refused`` no summary could be had; ``answered`` is the turn after which a summary was last asked for;
    ``account`` and ``summary_account`` belong to break-even.
    """

    boundary: int = 0
    summarized: int = 0
    summary: str = ""
    refused: int = 0
    answered: int = 0
    account: Account = field(default_factory=Account)
    summary_account: Account = field(default_factory=Account)


class Strategy(Protocol):
    """A pure left fold over turns. ``S`` below is the strategy's own frozen state; :class:`State` suits most.

    ``step`` is called once a turn, with the history as it stands right after that turn, and gives the next state; or a
    request for a summary, which is answered through ``summarized`` (``text`` None: none could be had) before ``step``
    is called again for the same turn. ``render`` says what the model is shown: the same state and history give the same
    context. None of them changes its arguments, does I/O, or looks at a clock.
    """

    @property
    def type(self) -> str:
        """The name it is chosen by."""
        ...

    def start(self) -> Any:
        """The state before the first turn."""
        ...

    def step(self, state: Any, history: History, terms: Terms) -> Any | SummaryRequest:
        """The state after the turn that has just ended, or what must be summarized first."""
        ...

    def summarized(self, state: Any, request: SummaryRequest, text: str | None) -> Any:
        """The state once ``request`` is answered."""
        ...

    def render(self, state: Any, history: History) -> Context:
        """What the model is shown."""
        ...


class Settings(BaseModel):
    """Base of the strategies' config models: frozen, no unknown fields, no summaries, no state to advance."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def start(self) -> State:
        """The state before the first turn."""
        return State()

    def step(self, state: State, history: History, terms: Terms) -> State | SummaryRequest:  # noqa: ARG002 - the protocol's
        """The same state: nothing to advance."""
        return state

    def summarized(self, state: State, request: SummaryRequest, text: str | None) -> State:  # noqa: ARG002 - the protocol's
        """The same state: no summary was asked for."""
        return state


def _pattern(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        message = f"not a regular expression: {error}"
        raise ValueError(message) from None
    return pattern


def _unquoted(value: object) -> object:
    """YAML reads ``on`` and ``off`` without quotes as true and false."""
    return ("on" if value else "off") if isinstance(value, bool) else value


Every = PositiveInt | Literal["break_even"]
Pattern = Annotated[str, AfterValidator(_pattern)]


class Bounded(Settings):
    """The fields that all strategies but the baseline share."""

    max_tokens: PositiveInt | Literal["auto"] | None = Field(
        default="auto",
        description="Largest request, in estimated tokens; above it the context is tightened instead of ending the "
        "run. auto: the model's input limit less a reserve for its answer; null: no limit.",
    )
    cache: Annotated[Literal["auto", "on", "off"], BeforeValidator(_unquoted)] = Field(
        default="auto",
        description="Whether the run's prompts are cached, which decides what moving costs. auto: what the scaffold "
        "does.",
    )


class Summarized(Bounded):
    """The fields that all strategies with a running summary share."""

    summarizer: Annotated[str, Field(pattern=r"\S")] | LiteLLM = Field(default="host", description=SUMMARIZER)
    preserve: tuple[Pattern, ...] = Field(default=(), description=PRESERVE)
    at_tokens: PositiveInt | None = Field(default=None, description=AT_TOKENS)
    at_fraction: float | None = Field(default=None, gt=0.0, le=1.0, description=AT_FRACTION)

    def summarized(self, state: State, request: SummaryRequest, text: str | None) -> State:
        """Take the summary; without one, mask those turns and ask again later."""
        answered = replace(
            state,
            answered=request.turn,
            account=replace(state.account, sent=0),
            summary_account=replace(
                state.summary_account, rent=0.0, sent=0, spent=state.summary_account.spent + request.fee
            ),
        )
        if text is None:
            return replace(answered, refused=request.last_turn, boundary=max(state.boundary, request.last_turn))
        return replace(answered, summary=text, summarized=request.last_turn)
