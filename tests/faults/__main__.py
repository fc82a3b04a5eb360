"""One scaffold's cells, in the environment that has it: ``python -m faults cells KEY OUT.json [NAME...]``.

``python -m faults run KEY JOB.json`` makes a single run, to be killed.
"""

import json
import os
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("OPENHANDS_SUPPRESS_BANNER", "1")

from faults.bench import Bench
from faults.job import Job
from faults.table import FAULTS, outcome, scaffold_of


def cells(key: str, out: Path, names: list[str]) -> None:
    """Write the outcome of each fault, or of those named, as JSON by its name."""
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        bench = Bench(key, scaffold_of(key), Path(folder))
        found = {}
        for fault in FAULTS:
            if not names or fault.name in names:
                start = time.monotonic()
                found[fault.name] = asdict(outcome(bench, fault)) | {"seconds": round(time.monotonic() - start, 1)}
                out.write_text(json.dumps(found, indent=1), encoding="utf-8")


def main() -> None:
    """Do what the arguments say."""
    what, key, path, *names = sys.argv[1:]
    if what == "cells":
        cells(key, Path(path), names)
    else:
        end = scaffold_of(key).run(Job(**json.loads(Path(path).read_text(encoding="utf-8"))))
        Path(path).with_suffix(".end").write_text(end, encoding="utf-8")


if __name__ == "__main__":
    main()
