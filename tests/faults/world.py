"""What happens around a run: it is killed, it has a neighbour, it is long, and its outputs are odd or hostile."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http import HTTPStatus
from subprocess import Popen

from context_strategies.testing import Record, ScriptedModel, hang
from faults.bench import HYBRID, SECONDS, STEPS, Bench, Outcome, end_of, ended, first_line, lost, named, texts, unless
from faults.job import Job, Run, at, events_in

MASKING = {"type": "masking", "window": 2, "refresh": 1}
WIDE = {"type": "masking", "window": 20}
KILLED_AT = 5
TURNS = 1_000
LONG = {"type": "llm_summary", "every": 4, "window": 1}
"""Requests stay small: SWE-agent writes all that were sent into its trajectory, anew each turn."""

LINES = 4
NAMES = ("one", "two")


def killed(bench: Bench) -> Outcome:
    """Killed while the model is asked, so between two steps: the record so far is whole; then it goes on, or anew."""
    job, script = bench.job(HYBRID), bench.script()
    plain = bench.sound(script)
    with ScriptedModel([*script[:KILLED_AT], hang()]) as model:
        process = bench.start(at(job, model.url))
        try:
            asked = _wait(model, process)
        finally:
            process.kill()
            process.wait()
    kept = bench.scaffold.outputs(job)
    broken = unless(asked, "the run did not get that far")
    broken += unless(kept == list(plain.outputs[:KILLED_AT]), f"{len(kept)} of {KILLED_AT} outputs were kept")
    seen = f"{len(kept)} of {KILLED_AT} outputs kept"
    if not bench.scaffold.resumes:
        run = bench.run(job, script)
        broken += lost(run, plain)
        broken += unless(_turns(run) == list(range(len(script))), "the events are not of the new run alone")
        return Outcome(f"{seen}; can't be resumed; anew: {ended(run)}", tuple(broken))
    run = bench.run(replace(job, resume=True), script[KILLED_AT:])
    broken += lost(replace(run, log=[*model.log[: KILLED_AT + _summaries(model)], *run.log]), plain)
    first = texts(run.answered[0].messages) if run.answered else []
    before = texts(asked.messages) if asked else []
    broken += unless(first[: len(before)] == before, "the resumed run shows the model other bytes")
    return Outcome(f"{seen}; resumed with the same bytes: {ended(run)}", tuple(broken))


def _wait(model: ScriptedModel, process: Popen[bytes]) -> Record | None:
    """The request that is left waiting; None where the run ended before."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and process.poll() is None:
        waiting = [record for record in list(model.log) if record.status == 0]
        if waiting:
            return waiting[0]
        time.sleep(0.05)
    return None


def _summaries(model: ScriptedModel) -> int:
    return sum(record.kind == "summary" for record in model.log)


def _turns(run: Run) -> list[int]:
    return [event["turn"] for event in run.told("step")]


def two_workers(bench: Bench) -> Outcome:
    """Two runs at once in one folder: each is as it is alone."""
    shared = bench.job(HYBRID)
    scripts = {name: bench.script(word=f"word_{name}") for name in NAMES}
    with ScriptedModel(scripts) as model:
        jobs = [at(named(shared, name), model.url) for name in NAMES]
        ends = _together(bench, jobs)
        log = list(model.log)
    broken: list[str] = []
    for job, end, other in zip(jobs, ends, reversed(NAMES), strict=True):
        own = [record for record in log if record.conversation == job.name]
        run = Run(end, own, bench.scaffold.outputs(job), events_in(bench.scaffold.events_path(job)), [])
        broken += [f"{job.name}: {what}" for what in lost(run, bench.sound(scripts[job.name]))]
        broken += unless(run.prompts, f"{job.name}: no summary was asked for")
        broken += unless(f"word_{other}" not in str([one.messages for one in own]), f"{job.name} reads of {other}")
        broken += unless(_turns(run) == list(range(STEPS + 1)), f"{job.name}: the events are of turns {_turns(run)}")
    how = "two threads" if bench.scaffold.threads else "two processes"
    return Outcome(f"{how}, one folder: {len(log)} requests, {' and '.join(ends)}", tuple(broken))


def _together(bench: Bench, jobs: list[Job]) -> list[str]:
    if bench.scaffold.threads:
        with ThreadPoolExecutor(len(jobs)) as pool:
            return list(pool.map(bench.scaffold.run, jobs))
    started = [bench.start(job) for job in jobs]
    try:
        for process in started:
            process.wait(SECONDS)
    finally:
        for process in started:
            process.kill()
    return [end_of(job) for job in jobs]


def thousand_turns(bench: Bench) -> Outcome:
    """It ends, each output is in the record, and no request is longer for the turns before."""
    script = bench.script(TURNS, lines=LINES)
    start = time.monotonic()
    run = bench.run(bench.job(LONG), script)
    seconds = time.monotonic() - start
    sound = bench.sound(bench.script())
    broken = unless(run.end == sound.end, f"it ends {run.end!r}")
    broken += unless(len(run.answered) == TURNS + 1, f"the agent is answered {len(run.answered)} times")
    numbers = [n for n, output in enumerate(run.outputs, 1) if f"{n}:{LINES} value" in output]
    broken += unless(numbers == list(range(1, TURNS + 1)), f"the record holds {len(numbers)} outputs")
    broken += unless(not run.told("fallback"), f"fallbacks: {run.reasons[:100]}")
    sizes = [record.characters for record in run.answered]
    early, late = max(sizes[:100]), max(sizes[-100:])
    broken += unless(late < 1.1 * early, "requests grow with the turns")
    made = len(run.told("condensed"))
    what = f"{made} summaries; at most {early:,} characters in the first 100 requests, {late:,} in the last"
    return Outcome(f"{ended(run)}; {what}; {seconds:.0f} s", tuple(broken))


def ten_megabytes(bench: Bench) -> Outcome:
    """The record holds as much of it as the scaffold keeps, and no request is longer than the model takes."""
    script = bench.script()
    script[1] = bench.command("seq -f '2:%g value = compute(item, with=all, that=it, takes=at_length)' 1 170000")
    run = bench.run(bench.job(MASKING), script)
    small = bench.sound(bench.script())
    broken = unless(run.end == small.end, f"it ends {run.end!r}, not {small.end!r}")
    broken += unless(len(run.answered) == len(small.answered), f"the agent is answered {len(run.answered)} times")
    broken += unless(len(run.outputs) == STEPS, f"the record holds {len(run.outputs)} outputs")
    broken += unless(not run.told("fallback"), f"fallbacks: {run.reasons[:100]}")
    kept = max(map(len, run.outputs), default=0)
    sent = max((record.characters for record in run.answered), default=0)
    last = run.answered[-1].characters if run.answered else 0
    return Outcome(
        f"{ended(run)}; {kept:,} characters in the record, at most {sent:,} in a request, {last:,} in the last",
        tuple(broken),
    )


def not_utf8(bench: Bench) -> Outcome:
    """Bytes that are no text become what the scaffold makes of them, and no request fails of it."""
    script = bench.script()
    script[1] = bench.command(
        r"printf 'caf\303\251 \377\376\200 \355\240\200 \033[31mred\033[0m \302'; seq -f '2:%g value' 1 40"
    )
    run = bench.run(bench.job(HYBRID), script)
    broken = lost(run, bench.sound(script))
    broken += unless(all(record.status == HTTPStatus.OK for record in run.log), "a request was refused")
    broken += unless(not run.told("fallback"), f"fallbacks: {run.reasons[:100]}")
    recorded = run.outputs[1] if len(run.outputs) > 1 else ""
    found = recorded[max(recorded.find("caf"), 0) :].strip().splitlines()[0] if recorded.strip() else ""
    line = found.partition("2:1 value")[0].encode("unicode_escape").decode()
    return Outcome(f"{ended(run)}; recorded as `{first_line(line, 90)}`", tuple(broken))


def agent_too_long(bench: Bench) -> Outcome:
    """A request that the model refuses as too long is made again, shorter."""
    script = bench.script()
    plain = bench.sound(script)
    limit = plain.answered[-1].characters * 2 // 3
    run = bench.run(bench.job(WIDE), script, max_characters=limit)
    refused = sum(record.status != HTTPStatus.OK for record in run.log)
    broken = lost(run, plain)
    return Outcome(f"{ended(run)}; {refused} refused", tuple(broken))
