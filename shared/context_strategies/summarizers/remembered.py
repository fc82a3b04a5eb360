"""Summaries that a run goes on with: those that its own record holds are not paid for again."""

from collections.abc import Mapping
from dataclasses import dataclass

from context_strategies.summarizers.base import Summarizer, SummarizerError, Summary, SummaryRequest

RECORDED = "the run's own record"


@dataclass(frozen=True, slots=True)
class Remembered:
    """Answers with what is ``known``, texts by the last turn that each stands for, and asks ``fresh`` otherwise."""

    fresh: Summarizer
    known: Mapping[int, str]

    @property
    def name(self) -> str:
        """How tables and events call it."""
        return self.fresh.name

    def __call__(self, request: SummaryRequest) -> Summary:
        """The summary; a later one being known, this one is not worth a call (:class:`SummarizerError`)."""
        if request.last_turn in self.known:
            return Summary(self.known[request.last_turn], RECORDED)
        if any(last_turn > request.last_turn for last_turn in self.known):
            raise SummarizerError("a later summary has replaced it")
        return self.fresh(request)
