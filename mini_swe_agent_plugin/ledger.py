"""What a conversation's summaries said and cost: written into the agent's next message, and read back from there.

mini-swe-agent adds up ``extra.cost`` of the messages that a model gives, and holds its limits against that sum; so a
summary's cost is part of the cost of the request it was made for. Its text stands beside it, so that a run that goes on
from a saved trajectory shows the model the same bytes and pays for no summary twice. What was tightened when the model
refused a request as too long is noted nowhere: there the first request that a resumed run makes is refused once more.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from context_strategies.fields import section
from context_strategies.prices import Usage
from context_strategies.summarizers import Summarizer, Summary, SummaryRequest
from mini_swe_agent_plugin.translate import Item

KEY = "context"
"""Where in ``extra``: ``summaries``, texts by the last turn each stands for; ``summary_cost``, in US dollars; and
``summary_usage``, the tokens of each call that made one, as :class:`~context_strategies.prices.Usage` names them.
"""


@dataclass(slots=True)
class Ledger:
    """A summarizer that notes what ``fresh`` says; ``known`` is what it said before the newest message."""

    fresh: Summarizer
    known: dict[int, str] = field(default_factory=dict)
    told: dict[int, str] = field(default_factory=dict)
    used: list[Usage] = field(default_factory=list)
    owed: float = 0.0

    @property
    def name(self) -> str:
        """How tables and events call it."""
        return self.fresh.name

    def __call__(self, request: SummaryRequest) -> Summary:
        """The summary; raises what ``fresh`` raises."""
        summary = self.fresh(request)
        self.told[request.last_turn] = summary.text
        if summary.usage:
            self.used.append(summary.usage)
        return summary

    def charge(self, cost: float) -> None:
        """Add what a call cost, in US dollars."""
        self.owed += cost

    def recall(self, item: Mapping[str, Any]) -> None:
        """Know the summaries that ``item`` tells of."""
        for last_turn, text in section(item, "extra", KEY, "summaries").items():
            if last_turn.isdecimal() and isinstance(text, str):
                self.known[int(last_turn)] = text

    def settle(self, item: Item) -> Item:
        """``item``, which a model gave, with what was told and is owed since the one before."""
        if not self.told and not self.owed:
            return item
        extra = section(item, "extra")
        note = {
            "summaries": {str(turn): text for turn, text in self.told.items()},
            "summary_cost": self.owed,
            "summary_usage": [asdict(usage) for usage in self.used],
        }
        settled = {**item, "extra": {**extra, "cost": extra.get("cost", 0.0) + self.owed, KEY: note}}
        self.known |= self.told
        self.told, self.used, self.owed = {}, [], 0.0
        return settled
