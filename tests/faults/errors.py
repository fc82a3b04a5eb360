"""Errors of ours, and what the plugin stands on being gone: nothing of it reaches the agent."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from context_strategies import catalogue
from context_strategies.strategies import Truncation
from faults.bench import HYBRID, STEPS, Bench, Outcome, ended, first_line, lost, texts, unless
from faults.job import Job, Run

MASKING = {"type": "masking", "window": 1, "refresh": 1}
TRUNCATION = {"type": "truncation", "keep_tokens": 900}
GOOD_TURNS = 4


def step_raises(bench: Bench) -> Outcome:
    return _raising(bench, "step")


def render_raises(bench: Bench) -> Outcome:
    return _raising(bench, "render")


def _raising(bench: Bench, method: str) -> Outcome:
    """Masking goes on where the strategy broke, and shows nothing again that was gone."""
    script = bench.script()
    with _broken(method):
        run = bench.run(bench.job(TRUNCATION), script)
    broken = lost(run, bench.sound(script))
    broken += unless("it broke" in run.reasons, f"the event says {run.reasons!r}")
    broken += unless(_hidden_stays_hidden(run), "an output that was gone is shown again")
    return Outcome(f"{ended(run)}; {first_line(run.reasons)}", tuple(broken))


@contextmanager
def _broken(method: str) -> Iterator[None]:
    whole: Any = getattr(Truncation, method)

    def broken(self: Any, state: Any, history: Any, *more: Any) -> Any:
        if history.turns >= GOOD_TURNS:
            raise RuntimeError("it broke")
        return whole(self, state, history, *more)

    with patch.object(Truncation, method, broken):
        yield


def _hidden_stays_hidden(run: Run) -> bool:
    gone: set[int] = set()
    for number, shown in enumerate(_shown(run)):
        if shown & gone:
            return False
        gone |= set(range(1, number + 1)) - shown
    return bool(gone)


def _shown(run: Run) -> list[set[int]]:
    """Which commands' outputs each request shows whole, by what their last lines begin with."""
    whole = ["\n".join(texts(record.messages)) for record in run.answered]
    return [{n for n in range(1, STEPS + 1) if f"{n}:40 value" in said} for said in whole]


def no_prices(bench: Bench) -> Outcome:
    return _without_prices(bench, "")


def bad_prices(bench: Bench) -> Outcome:
    return _without_prices(bench, "<html>not the price list</html>")


def _without_prices(bench: Bench, content: str) -> Outcome:
    """The usual ratios are assumed, and the run is managed all the same."""
    script = bench.script()
    job = bench.job(MASKING, model="unpriced-too" if content else "unpriced")
    path = Path(job.folder, "prices.json")
    if content:
        path.write_text(content, encoding="utf-8")
    catalogue.bundled.cache_clear()
    with patch.object(catalogue, "FILE", str(path)):
        run = bench.run(job, script)
    catalogue.bundled.cache_clear()
    broken = lost(run, bench.sound(script))
    hidden = run.events[-1].get("hidden", 0) if run.events else 0
    broken += unless(hidden, "nothing is hidden")
    said = sum("prices" in line for line in run.said)
    broken += unless(said == bool(content), f"warnings: {said}")
    return Outcome(f"{ended(run)}; {hidden} outputs hidden; warnings: {said}", tuple(broken))


def disk_full(bench: Bench) -> Outcome:
    job = bench.job(HYBRID)
    path = bench.scaffold.events_path(job)
    return _unwritten(bench, job, f"ln -sfn /dev/full {path}")


def directory_there(bench: Bench) -> Outcome:
    job = bench.job(HYBRID)
    path = bench.scaffold.events_path(job)
    path.mkdir(parents=True)
    return _unwritten(bench, job, "true")


def _unwritten(bench: Bench, job: Job, first: str) -> Outcome:
    """The model is shown what it would have been shown, and the log says once that the events are not kept."""
    script = [bench.command(first), *bench.script()]
    run = bench.run(job, script)
    sound = bench.sound(script, HYBRID)
    broken = lost(run, bench.sound(script))
    broken += unless(_shown(run) == _shown(sound), "the model is shown other outputs")
    broken += unless(len(run.prompts) == len(sound.prompts), "other summaries are asked for")
    said = [line for line in run.said if "event" in line]
    broken += unless(len(said) == 1, f"said {len(said)} times")
    why = re.sub(r"\[Errno \d+\] |: '[^']*'$", "", said[0]).rpartition(": ")[2] if said else "nothing"
    return Outcome(f"{ended(run)}; said: {why}", tuple(broken))
