"""What goes wrong around a run, in every scaffold, into docs/faults.md; what needs a host that is not here says so.

    make faults

Each scaffold's cells run in a process of the environment that has it: OpenHands V0 in ``.venv-v0`` (or where
``OPENHANDS_V0_PYTHON`` says), SWE-agent where ``SWEAGENT_PYTHON`` names an interpreter. No key, no network.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from faults.table import FAULTS, SCAFFOLDS, Fault  # noqa: E402 - the tests' own

LIMIT = int(os.environ.get("FAULTS_SECONDS", "450"))
"""Seconds a scaffold's cells may take; the four are tried at the same time."""

V0 = ROOT / ".venv-v0" / "bin" / "python"
PYTHONS = {
    "sweagent": os.environ.get("SWEAGENT_PYTHON", ""),
    "openhands_v0": os.environ.get("OPENHANDS_V0_PYTHON", str(V0) if V0.exists() else ""),
    "openhands_v1": sys.executable,
    "mini": sys.executable,
}
WANTED = {
    "sweagent": "SWEAGENT_PYTHON names no interpreter that has it",
    "openhands_v0": "there is no .venv-v0 (make .venv-v0/.made)",
}

HEAD = """\
# When things fail

What goes wrong around a run must not reach the agent. Here each fault is tried in each scaffold: the real one, with a
scripted model. In every cell that is ok, the run ends as the same run without the plugin and the fault does, with
the same number of answered requests, and the scaffold's own record holds every output as it does then.

Made by `make faults` on {date}; the cells are measured, not written. The tests run the same cells, but for the slowest.
"""

Cells = Mapping[str, Mapping[str, Any]]


def cells(key: str, folder: Path) -> tuple[Cells, str]:
    """The outcomes of one scaffold by the fault's name, and why the others are missing."""
    python = PYTHONS[key]
    if not python:
        return {}, f"not run: {WANTED[key]}"
    out, log = folder / f"{key}.json", folder / f"{key}.log"
    paths = os.pathsep.join(str(ROOT / part) for part in ("shared", ".", "tests"))
    command = [python, "-W", "ignore", "-m", "faults", "cells", key, str(out)]
    with log.open("wb") as printed:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": paths},
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=printed,
            start_new_session=True,
        )
        try:
            code = process.wait(LIMIT)
            why = f"not run: the process ended with {code}" if code else ""
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            why = f"not run within {LIMIT} s"
    if why:
        print(f"{key}: {why}\n{log.read_text(errors='replace')[-2_000:]}", file=sys.stderr)
    return (json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}), why


def cell(fault: Fault, key: str, found: tuple[Cells, str]) -> str:
    """A cell of the table."""
    made, why = found
    if fault.name not in made:
        return why
    seen, broken = made[fault.name]["seen"], made[fault.name]["broken"]
    if not broken:
        return f"ok: {seen}"
    because = f" ({fault.unheld[key]})" if key in fault.unheld else ""
    return f"**not held**: {'; '.join(broken)}{because}".replace("|", "/")


def page(found: Mapping[str, tuple[Cells, str]]) -> str:
    """The page."""
    titles = [title for title, _ in SCAFFOLDS.values()]
    lines = [HEAD.format(date=f"{datetime.now(UTC):%Y-%m-%d}"), f"| fault | {' | '.join(titles)} |"]
    lines.append("|---" * (len(titles) + 1) + "|")
    lines += [f"| {f.title} | {' | '.join(cell(f, key, found[key]) for key in SCAFFOLDS)} |" for f in FAULTS]
    lines += ["", "## What is asserted beside that", "", *(f"- **{f.title}**: {f.asserted}" for f in FAULTS)]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the page; exit code 1 where a cell does not hold that should."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(len(SCAFFOLDS)) as pool:
        found = dict(zip(SCAFFOLDS, pool.map(lambda key: cells(key, Path(folder)), SCAFFOLDS), strict=True))
    (ROOT / "docs" / "faults.md").write_text(page(found), encoding="utf-8")
    wrong = [
        f"{SCAFFOLDS[key][0]}, {fault.title}: {'; '.join(made[fault.name]['broken'])}"
        for key, (made, _) in found.items()
        for fault in FAULTS
        if fault.name in made and bool(made[fault.name]["broken"]) != (key in fault.unheld)
    ]
    seconds = {key: round(sum(one["seconds"] for one in made.values())) for key, (made, _) in found.items()}
    print(f"docs/faults.md: {sum(len(made) for made, _ in found.values())} cells, seconds: {seconds}")
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
