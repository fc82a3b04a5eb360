"""Real scaffolds as cells, with a scripted model in the model's place: no key, no network."""

import json
import os
import shutil
from pathlib import Path

import pytest

from context_strategies.experiment import record as states
from context_strategies.experiment.demo.matrix import scaffolds_here
from context_strategies.experiment.demo.script import ENDS
from context_strategies.experiment.runner import Runner
from context_strategies.testing import Record, ScriptedModel, Step, run, say
from experiment_files import Files, Make

STRATEGY = "hybrid:window=1,every=5,refresh=1"
TURNS = 12


def script(scaffold: str) -> list[Step]:
    moves = [run(f"echo step {n}; seq {n * 100} {n * 100 + 150}", f"Step {n}.") for n in range(TURNS - 2)]
    return [*moves, run("echo 2 > a.txt && cat a.txt"), ENDS[scaffold]]


def experiment(make: Make, folder: Path, scaffold: str, url: str) -> Files:
    here, missing = scaffolds_here(folder, os.environ.get("SWEAGENT_PYTHON", ""))
    if scaffold not in here:
        pytest.skip(next(line for line in missing if line.startswith(scaffold)))
    return make(
        {"one": "Count for me. TASK-ID: {cell}"},
        scaffolds={scaffold: here[scaffold]},
        strategies=[STRATEGY],
        models=[{"name": "openai/gpt-4.1-mini", "api_base": url}],
        cell_budget=0,
    )


def played(make: Make, folder: Path, scaffold: str) -> tuple[Files, list[Record]]:
    """Run the one cell: the experiment, and what the server was sent."""
    (cell,) = experiment(make, folder, scaffold, "").cells
    with ScriptedModel({cell.key: script(scaffold)}, summaries=[say("All counted so far.")], seconds=500) as model:
        files = experiment(make, folder, scaffold, model.url)
        (record,) = Runner(1).run(files.cells).ran.values()
        assert (record.state, record.fallbacks) == (states.DONE, 0), record
        assert {request.status for request in model.log} == {200}
        assert record.cost
        return files, list(model.log)


@pytest.mark.parametrize("scaffold", ["mini", "openhands_v1", "sweagent"])
def test_a_real_cell_and_the_same_again(make: Make, tmp_path: Path, scaffold: str) -> None:
    """Nothing has to be removed from the requests before they are compared, tool-call ids and times included."""
    files, first = played(make, tmp_path, scaffold)
    kinds = [request.kind for request in first]
    assert kinds.count("agent") == TURNS
    assert kinds.count("summary") >= 1
    assert any("hidden: " in json.dumps(request.body) for request in first)
    if scaffold != "sweagent":  # which works on a copy of its own
        assert "-1\n+2\n" in (files.cells[0].folder / "changes.patch").read_text()
    shutil.rmtree(files.path.parent / "runs")
    _, second = played(make, tmp_path, scaffold)
    assert [json.dumps(request.body) for request in first] == [json.dumps(request.body) for request in second]
