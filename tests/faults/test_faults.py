"""Each fault in each scaffold of this environment; ``make faults`` makes docs/faults.md of the same cells.

SWE-agent's run in its own interpreter, the others in this process. Slow ones are left to the command.
"""

import json
import os
import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from faults.bench import Bench, Outcome
from faults.table import FAULTS, SCAFFOLDS, Fault, outcome, scaffold_of

ROOT = Path(__file__).resolve().parents[2]
PYTHON = os.environ.get("SWEAGENT_PYTHON", "")
NEEDED = {"openhands_v0": "openhands.core", "openhands_v1": "openhands.tools", "mini": "minisweagent"}
V0 = bool(find_spec("openhands") and find_spec("openhands.core"))
"""It brings an SDK of V1 that is older than those we know."""

SECONDS = 420

Cell = Callable[[str, Fault], Outcome]


def missing(key: str) -> str:
    """Why a scaffold can't be tried here."""
    if V0 and key != "openhands_v0":
        return "the environment of OpenHands V0 is for its own cells"
    if key == "sweagent":
        return "" if PYTHON else "the variable SWEAGENT_PYTHON does not name a Python that has SWE-agent 1.1"
    package = NEEDED[key].partition(".")[0]
    there = find_spec(package) and find_spec(NEEDED[key])
    return "" if there else f"{SCAFFOLDS[key][0]} is not in this environment"


@pytest.fixture(scope="module")
def cell(tmp_path_factory: pytest.TempPathFactory) -> Cell:
    """Return what finds out a cell; SWE-agent's are found out all at once."""
    benches: dict[str, Bench] = {}
    elsewhere: dict[str, Any] = {}

    def found(key: str, fault: Fault) -> Outcome:
        if key == "sweagent":
            elsewhere.update(elsewhere or _by_sweagent(tmp_path_factory.mktemp(key)))
            made = elsewhere[fault.name]
            return Outcome(made["seen"], tuple(made["broken"]))
        if key not in benches:
            benches[key] = Bench(key, scaffold_of(key), tmp_path_factory.mktemp(key))
        return outcome(benches[key], fault)

    return found


def _by_sweagent(folder: Path) -> dict[str, Any]:
    paths = os.pathsep.join(str(ROOT / part) for part in ("shared", ".", "tests"))
    names = [fault.name for fault in FAULTS if "sweagent" not in fault.slow]
    done = subprocess.run(
        [PYTHON, "-W", "ignore", "-m", "faults", "cells", "sweagent", str(folder / "cells.json"), *names],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
    made: dict[str, Any] = json.loads((folder / "cells.json").read_text(encoding="utf-8"))
    return made


@pytest.mark.parametrize(
    ("key", "fault"),
    [
        pytest.param(key, fault, id=f"{key}-{fault.name}", marks=pytest.mark.xdist_group(f"faults-{key}"))
        for key in SCAFFOLDS
        for fault in FAULTS
        if key not in fault.slow
    ],
)
def test_a_fault_never_reaches_the_agent(key: str, fault: Fault, cell: Cell) -> None:
    why = missing(key)
    if why:
        pytest.skip(why)
    made = cell(key, fault)
    if key in fault.unheld:
        assert made.broken, f"this holds now; it is said to be unheld: {fault.unheld[key]}"
    else:
        assert not made.broken, made.seen
