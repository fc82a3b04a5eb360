"""Summarizers that fail: nothing of it reaches the agent."""

import re
from collections.abc import Sequence
from typing import Any

from context_strategies.testing import Step, context_exceeded, hang, say
from faults.bench import HYBRID, Bench, Outcome, ended, first_line, lost, texts, unless
from faults.job import URL, Run

OTHER = {"model": "openai/other", "api_base": URL, "timeout": 1}
NOBODY = {**OTHER, "api_base": "http://127.0.0.1:9/v1"}
"""A port that nothing listens at."""

TITLE = "[Summary of turns 1 to 6, which are no longer shown]"
REFUSAL = "I can't help with that."
FACT = "port 8443"


def down(bench: Bench) -> Outcome:
    return _digested(bench, [], "[Cc]onnection", summarizer=NOBODY)


def slow(bench: Bench) -> Outcome:
    return _digested(bench, [hang()], "Timeout", summarizer=OTHER)


def empty(bench: Bench) -> Outcome:
    return _digested(bench, [say("")], "empty answer")


def request_too_long(bench: Bench) -> Outcome:
    return _digested(bench, [context_exceeded()], "ContextWindowExceed")


def _digested(bench: Bench, answers: Sequence[Step], cause: str, **job: Any) -> Outcome:
    """A summarizer that gives nothing: the digest stands in, and the event says why (``cause``, a pattern)."""
    run, broken = _run(bench, answers, **job)
    by = [event["by"] for event in run.told("condensed")]
    shown = [text for text in texts(run.answered[-1].messages) if "Digest of turns 1 to 6" in text]
    broken += unless(by[-1:] == ["extractive"] and shown, f"no digest, but {by}")
    found = re.search(rf"\w*{cause}\w*", run.reasons)
    broken += unless(found, f"the events say {first_line(run.reasons) or 'nothing'!r}")
    said = found[0] if found else "nothing"
    return Outcome(f"{ended(run)}; {by.count('extractive')} digests; said: {said}", tuple(broken))


def over_long(bench: Bench) -> Outcome:
    run, broken = _run(bench, [say("And so on. " * 20_000)])
    made = run.told("condensed")
    broken += unless(made and all(one["by"] != "extractive" for one in made), "the summary is not used")
    broken += unless(all(one["tokens"] < one["replaced"] for one in made), "a summary is no shorter")
    sizes = ", ".join(f"{one['tokens']} instead of {one['replaced']} tokens" for one in made)
    return Outcome(f"{ended(run)}; cut to {sizes}", tuple(broken))


def refusing(bench: Bench) -> Outcome:
    run, broken = _run(bench, [say(REFUSAL)])
    last = "\n".join(texts(run.answered[-1].messages))
    broken += unless(REFUSAL in last and TITLE in last, "the summary is not shown")
    broken += unless(FACT in last, "the tagged fact is lost")
    return Outcome(f"{ended(run)}; tagged facts behind the refusal: {last.count(FACT)}", tuple(broken))


def _run(bench: Bench, answers: Sequence[Step], **job: Any) -> tuple[Run, list[str]]:
    """A run whose first step tags a fact, and what of it is lost."""
    script = bench.script()
    script[0] = bench.command("seq -f '1:%g value = compute(item)' 1 40", f"I look at 1. <keep>{FACT}</keep>")
    run = bench.run(bench.job(HYBRID, **job), script, summaries=answers)
    return run, lost(run, bench.sound(script))
