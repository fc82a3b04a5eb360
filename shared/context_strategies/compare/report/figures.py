"""Which figures stand on the page, and what they need of runs, gathered as these pass."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from context_strategies.compare import charts
from context_strategies.compare.charts import Chart
from context_strategies.compare.comparison import Comparison
from context_strategies.compare.rows import rows_of
from context_strategies.compare.run_rows import RunRow


@dataclass(slots=True)
class Gathered:
    """Of the documents of ``runs``: what the raw agent ``sent``, tokens by kind of message over all requests, and the
    sizes of the ``longest`` run's requests under each strategy.
    """

    runs: int = 0
    sent: Counter[str] = field(default_factory=Counter)
    longest: str = ""
    prompts: dict[str, list[int]] = field(default_factory=dict)
    calls: int = 0

    def add(self, name: str, document: dict[str, Any]) -> None:
        """One more run, called ``name``."""
        calls = document["calls"]
        self.runs += 1
        for index, (kind, _, _, tokens, _, unsent) in enumerate(document["messages"]):
            last = len(calls) if unsent < 0 else unsent
            self.sent[document["kinds"][kind]] += tokens * max(last - bisect_right(calls, index), 0)
        if len(calls) > self.calls:
            self.longest, self.calls = name, len(calls)
            self.prompts = {strategy["name"]: strategy["prompt"] for strategy in document["strategies"]}


def figures_of(block: Sequence[RunRow], gathered: Gathered, comparison: Comparison | None) -> list[Chart]:
    """The figures of one market's runs, and of what was measured, those that there are numbers for."""
    market = block[0].market
    of_runs = [charts.shown(rows_of(block), market), charts.tail(block, market)]
    if gathered.runs:
        of_runs += [charts.sizes(gathered.longest, gathered.prompts), charts.kinds(gathered.sent, gathered.runs)]
    return of_runs + (charts.of_comparison(comparison) if comparison else [])
