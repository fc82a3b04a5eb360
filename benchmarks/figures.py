"""The figures of the docs measured anew, into docs/figures.md; what needs a host that is not here says so.

    make figures

OpenHands V0 is measured in ``.venv-v0``; SWE-agent where ``SWEAGENT_PYTHON`` names an interpreter that has it; the
report's page in Chromium. Faults and mutants, which are no figures, have targets of their own.
"""

import os
import shutil
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
V0 = ROOT / ".venv-v0" / "bin" / "python"
SWE_AGENT = os.environ.get("SWEAGENT_PYTHON", "")
LIMIT = 900
"""Seconds one benchmark may take."""

FIGURES: list[tuple[str, str, Path | str]] = [
    ("Time to start", "start_time.py", sys.executable),
    ("Time of a step, to 4,000 turns", "step_time.py", sys.executable),
    ("Replaying six strategies, beside reading and tokenizing", "replay_speed.py", sys.executable),
    ("Thousands of runs", "throughput.py", sys.executable),
    ("Memory", "memory.py", sys.executable),
    ("Schedules: break-even against raw and the best in hindsight", "refresh.py", sys.executable),
    ("Every strategy beside the raw agent", "choosing.py", sys.executable),
    ("Finding facts", "facts_speed.py", sys.executable),
    ("Cost against availability", "frontier.py", sys.executable),
    ("Availability by window, beside published solve rates", "windows.py", sys.executable),
    ("The field report's research run", "report.py", sys.executable),
    ("The report's page", "report_page.py", sys.executable if shutil.which("chromium") else ""),
    ("OpenHands V1: what is sent and paid", "openhands_v1_cost.py", sys.executable),
    ("OpenHands V1: time of a step", "openhands_v1_step.py", sys.executable),
    ("OpenHands V0: what is sent and paid", "openhands_v0_cost.py", V0 if V0.exists() else ""),
    ("OpenHands V0: time of a step", "openhands_v0_speed.py", V0 if V0.exists() else ""),
    ("mini-swe-agent: what is sent and paid", "mini_cost.py", sys.executable),
    ("SWE-agent: what is sent and paid", "sweagent_cost.py", sys.executable if SWE_AGENT else ""),
    ("SWE-agent: time of a call", "sweagent_speed.py", SWE_AGENT),
]


def main() -> None:
    """Write the page."""
    lines = [
        "# Figures",
        "",
        f"Made by `make figures` on {datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores.",
    ]
    for title, script, python in FIGURES:
        found = measured(script, str(python))
        lines += ["", f"## {title}", "", f"`python benchmarks/{script}`", "", *found]
        print(title, *(found if len(found) == 1 else ()), sep=": ", flush=True)
    (ROOT / "docs" / "figures.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def measured(script: str, python: str) -> list[str]:
    """What a benchmark printed, Markdown tables as they are and the rest as code."""
    if not python:
        return ["Not measured: its host is not in this environment."]
    try:
        done = run([python, "-W", "ignore", str(ROOT / "benchmarks" / script)])
    except subprocess.TimeoutExpired:
        return [f"Not measured: it ran out of time, {LIMIT} s."]
    if done.returncode:
        said = done.stderr.strip().splitlines()
        return [f"Failed: {said[-1] if said else done.returncode}"]
    printed = done.stdout.strip().splitlines()
    return printed if any(line.startswith("|") for line in printed) else ["```", *printed, "```"]


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """``command`` at its end; after ``LIMIT`` seconds it is ended, with all that it has started."""
    paths = f"{ROOT / 'shared'}{os.pathsep}{ROOT}"
    environment = {**os.environ, "PYTHONPATH": paths, "SWE_AGENT_LOG_STREAM_LEVEL": "ERROR"}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdout=pipe, stderr=pipe, text=True, env=environment, cwd=ROOT, start_new_session=True
    ) as process:
        try:
            printed, said = process.communicate(timeout=LIMIT)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(command, process.returncode, printed, said)


if __name__ == "__main__":
    main()
