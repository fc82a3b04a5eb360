"""The demo's parts: a repository that its script mends, the file it writes, and the bills."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from context_strategies.catalogue import prices_of
from context_strategies.cli import app
from context_strategies.experiment.cells import cells_of
from context_strategies.experiment.demo import matrix, repository, script
from context_strategies.experiment.demo.bills import bills, cost_of, print_bills
from context_strategies.experiment.plan import Plan
from context_strategies.experiment.runner import Runner
from context_strategies.testing import Record
from context_strategies.testing.wire import usage
from experiment_files import Files, Make

TESTS = ["python3", "-m", "unittest"]


def requests(key: str, sizes: list[tuple[int, int]]) -> list[Record]:
    """Requests of so many characters, and so many of them cached."""
    body: dict[str, Any] = {"messages": []}
    return [
        Record(n, key, "agent", n, body, prompt, 0, cached, (), 200, {"usage": usage(prompt, cached, 40)})
        for n, (prompt, cached) in enumerate(sizes)
    ]


def test_the_script_mends_the_repository_and_every_command_has_an_output(tmp_path: Path) -> None:
    repository.write(tmp_path)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    assert subprocess.run(TESTS, cwd=tmp_path, capture_output=True, check=False).returncode == 1
    steps = script.steps("mini")
    assert len(steps) == 61
    for step in steps[:-1]:
        command = str(step.calls[0].arguments["command"])
        done = subprocess.run(["/bin/sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.stdout, command
    assert subprocess.run(TESTS, cwd=tmp_path, capture_output=True, check=False).returncode == 0


def test_its_file_is_an_experiment(tmp_path: Path) -> None:
    path, missing = matrix.write(tmp_path, "http://127.0.0.1:1/v1", "")
    assert [line for line in missing if line.startswith("sweagent: the variable SWEAGENT_PYTHON")]
    if len(missing) == 3:
        pytest.skip("no scaffold is installed here")
    cells = Files(path).cells
    assert {cell.out for cell in cells} == {tmp_path / "runs"}
    run = [cell for cell in cells if matrix.is_run(cell)]
    each = len({cell.scaffold for cell in cells})
    assert (len(cells), len(run)) == (18 * each, 12 * each)


def test_a_folder_that_holds_anything_else_is_left_as_it_is(make: Make, tmp_path: Path) -> None:
    files = make()
    Runner(1).run(files.cells)
    before = {path: path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()}
    result = CliRunner().invoke(app, ["demo", "--out", str(tmp_path)])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert f"--out {tmp_path}: holds what is not the demo's; name a folder that is new or empty" in result.stderr
    assert {path: path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()} == before
    assert CliRunner().invoke(app, ["demo", "--out", str(files.path)]).exit_code == 2


def test_its_own_folder_is_made_anew(tmp_path: Path) -> None:
    assert matrix.is_own(tmp_path)
    assert matrix.is_own(tmp_path / "new")
    matrix.write(tmp_path, "", "")
    assert matrix.is_own(tmp_path)


def test_a_bill_is_what_the_requests_cost_beside_the_raw_agents(tmp_path: Path) -> None:
    plan = Plan.model_validate(
        {
            "scaffolds": {"mini": None},
            "strategies": matrix.STRATEGIES[:2],
            "models": [{"name": name} for name in matrix.MODELS],
            "instances": [{"id": "shop", "folder": ".", "task": "x"}],
        }
    )
    cells = [cell for cell in cells_of(plan, tmp_path / "e.yaml") if matrix.is_run(cell)]
    assert len(cells) == 3 + 1
    log: list[Record] = []
    for cell in cells:
        log += requests(cell.key, [(8_000, 0), (12_000, 8_000)] if cell.is_raw else [(8_000, 0), (9_000, 0)])
    found = list(bills(cells, log))
    shares = {(bill.strategy, bill.model): bill.share for bill in found}
    assert len(shares) == 2 * 3
    assert all(shares["raw", model] == 1 for model in matrix.MODELS)
    assert shares["masking:refresh=1", matrix.MODELS[2]] > shares["masking:refresh=1", matrix.MODELS[0]] > 1

    claude = prices_of(matrix.MODELS[2])
    if not claude.assumed:
        rates = claude.rates(0)
        expected = 2 * 11 * rates.output + 2_000 * rates.cache_read + (2_001 + 1_001) * rates.cache_write
        assert cost_of(log[-2:] if cells[-1].is_raw else log[:2], claude) == pytest.approx(expected)
    ended = [cell for cell in cells if not (cell.is_raw and cell.model.name == matrix.MODELS[1])]
    assert ("raw", matrix.MODELS[1]) not in {(bill.strategy, bill.model) for bill in bills(ended, log)}
    console = Console(record=True, width=160)
    print_bills(console, found)
    assert (
        "Dearer than the raw agent at the prices of claude-sonnet-4-5: mini masking:refresh=1" in console.export_text()
    )
