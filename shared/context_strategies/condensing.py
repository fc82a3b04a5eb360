"""Getting a summary: the summarizer's, else the digest that rules make; never one that is no shorter."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from context_strategies.events import Condensed, Event
from context_strategies.fields import printable
from context_strategies.strategies.folding import summary_message
from context_strategies.summarizers import Extractive, Summarizer, Summary, SummaryRequest, keep_facts_verbatim
from context_strategies.summarizers.remembered import RECORDED
from context_strategies.tokens import estimate


@dataclass(frozen=True, slots=True)
class Condensing:
    """Asks ``summarizer``, and after it the extractive one; tells ``record`` of each summary, and ``fall_back`` of what
    failed and what is done instead.
    """

    summarizer: Summarizer
    record: Callable[[Event], None]
    fall_back: Callable[[str, str], None]

    def __call__(self, request: SummaryRequest, turn: int) -> str | None:
        """A summary with the facts in it that is shorter than what it replaces; None where none can be had."""
        for summarizer in (self.summarizer, Extractive()):
            try:
                summary = summarizer(request)
                empty = not summary.text.strip()
                text = keep_facts_verbatim(summary.text, request.facts)
                tokens = estimate(text)
                event = _condensed(turn, request, summary, estimate(summary_message(text, request.last_turn)))
            except Exception as error:  # noqa: BLE001 - never fatal: a summarizer is anyone's code
                self.fall_back(f"summarizer {name_of(summarizer)}: {line_of(error)}", "the next in line")
                continue
            if summary.by != RECORDED:
                self.record(event)
            if empty:
                self.fall_back(f"summarizer {name_of(summarizer)}: empty summary", "the next in line")
            elif 0 < request.limit <= tokens:
                reason = f"summary of {tokens} tokens is no shorter than the {request.limit} it replaces"
                self.fall_back(reason, "the next in line")
            else:
                return text
        self.fall_back("no summary could be had", "those turns are masked")
        return None


def _condensed(turn: int, request: SummaryRequest, summary: Summary, tokens: int) -> Condensed:
    usage = summary.usage
    return Condensed(
        turn=turn,
        first_turn=request.first_turn,
        last_turn=request.last_turn,
        by=summary.by,
        tokens=tokens,
        replaced=request.limit + estimate(summary_message("", request.last_turn)) if request.limit > 0 else 0,
        prompt_tokens=usage.prompt if usage else None,
        output_tokens=usage.output if usage else None,
        cost=summary.cost,
    )


def name_of(part: object) -> str:
    """How a summarizer or a strategy is called."""
    for attribute in ("name", "type"):
        with suppress(Exception):
            name = getattr(part, attribute)
            if isinstance(name, str):
                return name
    return type(part).__name__


def line_of(error: Exception) -> str:
    """An error in one line."""
    said = type(error).__name__
    with suppress(Exception):
        said = f"{said}: {error}"
    return printable(" ".join(said.split()), 500)
