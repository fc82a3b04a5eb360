"""What a page is made of besides totals, gathered as runs pass: those that the viewer has room for, and figures."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from context_strategies.compare.report.runs import Viewed
from context_strategies.compare.run_rows import RunRow
from context_strategies.compare.work import Replayed
from context_strategies.compare.writing import another

LARGEST = 40_000_000
"""Bytes of runs that a page holds at most: what a browser still opens quickly, and a mail server may refuse."""


@dataclass(slots=True)
class Viewer:
    """The runs of the viewer, added one by one as long as they fit in ``largest`` bytes: (what its list says of a run,
    the run's document, packed).
    """

    largest: int = LARGEST
    size: int = 0
    runs: list[tuple[dict[str, Any], str]] = field(default_factory=list)
    keys: dict[str, int] = field(default_factory=dict)

    def add(self, run: Viewed) -> None:
        """Add ``run``, under a ``key`` of its own, if it fits."""
        if self.size + len(run.document) > self.largest:
            return
        self.size += len(run.document)
        name = run.id or run.source
        entry = {
            "id": name,
            "source": run.source,
            "format": run.format,
            "model": run.model,
            "calls": run.calls,
            "condensed": run.condensed,
            "lost": run.lost,
            "key": another(name, self.keys, "~"),
        }
        self.runs.append((entry, run.document))


@dataclass(slots=True)
class Gathered:
    """Of all runs their ``rows`` in ``market``, and what the raw agent ``sent``, tokens by kind of message over all
    requests; of those that fit what the ``viewer`` shows; of the ``longest`` the sizes of its requests (``prompts``).
    """

    market: str
    viewer: Viewer = field(default_factory=Viewer)
    rows: list[RunRow] = field(default_factory=list)
    sent: Counter[str] = field(default_factory=Counter)
    longest: str = ""
    calls: int = 0
    prompts: dict[str, list[int]] = field(default_factory=dict)

    def add(self, done: Replayed) -> None:
        """What came of one more source."""
        self.rows += [row for row in done.rows if row.market == self.market]
        for run in done.viewed:
            self.viewer.add(run)
            self.sent.update(run.sent)
            if run.calls > self.calls:
                self.longest, self.calls, self.prompts = run.id or run.source, run.calls, run.prompts
