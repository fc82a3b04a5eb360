"""Real recordings, which lie beside the checkout: what ``INDEX.tsv`` says of each is what its reader finds."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from context_strategies.history import Kind
from context_strategies.messages import text_of
from context_strategies.trajectories import Refusal, Trajectory, find, read

RECORDINGS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "trajectories"

pytestmark = pytest.mark.skipif(
    not RECORDINGS.is_dir(), reason="no recorded runs: ../shared/data/trajectories is not beside this checkout"
)

FORMATS = {
    "sweagent": {"swe-agent"},
    "mini": {"mini-swe-agent"},
    "openhands_v0": {"openhands-v0", "completions"},
    "openhands_v1": {"openhands-v1", "completions"},
    "atif": {"atif"},
}

# Where the number of calls is not the index's number of steps.
CALLS = {
    # Three replies in a wrong format are in no history, and the last step is the scaffold's own.
    "sweagent/v1-seagent-sphinx-8551-it2.traj": 26,
    # Twenty calls: the index leaves out the last one, which finished the run.
    "openhands_v0/completions-sonnet35-django-11451/": 20,
    # Six calls: the index leaves out the one that it took from another commit.
    "openhands_v1/sdk-llm-logs-sonnet4/": 6,
    # A stream of steps, of which the index counts none.
    "atif/v14-mechacoder-ebphxk.atif.jsonl": 2,
}

RUNS = {
    "openhands_v0/eval-multiswe-maverick-output.jsonl": 3,
    "openhands_v0/resolver-mock-output.jsonl": 2,
    "openhands_v1/sdk-llm-logs-sonnet4/": 2,
}


def index() -> list[dict[str, str]]:
    if not RECORDINGS.is_dir():
        return []
    with (RECORDINGS / "INDEX.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


ROWS = index()


def named(row: dict[str, str]) -> str:
    return row["local_file"]


def runs(name: str) -> list[Trajectory]:
    results = list(read([RECORDINGS / name]))
    assert not [str(result) for result in results if isinstance(result, Refusal)]
    return [result for result in results if isinstance(result, Trajectory)]


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_every_run_is_read_in_full(row: dict[str, str]) -> None:
    name = named(row)
    found = runs(name)
    assert len(found) == RUNS.get(name, 1)
    assert {run.format for run in found} <= FORMATS[row["format"]]
    assert sum(len(run.calls) for run in found) == CALLS.get(name, int(row["steps"]))
    for run in found:
        uptos = [call.upto for call in run.calls]
        assert uptos == sorted(uptos)
        assert all(upto <= len(run.history) for upto in uptos)
        assert all(message.kind is not Kind.SUMMARY for message in run.history.messages)


@pytest.mark.parametrize("row", [row for row in ROWS if float(row["cost_usd"] or 0)], ids=named)
def test_the_cost_is_the_recorded_one(row: dict[str, str]) -> None:
    assert sum(run.cost or 0 for run in runs(named(row))) == pytest.approx(float(row["cost_usd"]), abs=6e-5)


def test_every_row_of_the_index_is_of_a_format_that_is_read() -> None:
    assert {row["format"] for row in ROWS} == set(FORMATS)


def test_the_whole_folder_has_one_source_for_each_recording() -> None:
    assert len(find([RECORDINGS])) == len(ROWS)


@pytest.mark.parametrize("row", [row for row in ROWS if row["format"] == "mini"], ids=named)
def test_mini_calls_add_up_to_the_recorded_total(row: dict[str, str]) -> None:
    (run,) = runs(named(row))
    costs = [call.cost for call in run.calls]
    if None not in costs and run.cost:
        assert sum(cost for cost in costs if cost) == pytest.approx(run.cost)
    assert len([message for message in run.history.messages if message.kind is Kind.TASK]) == 1


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ("mini/v115-gemini3pro-psf__requests-1142.traj.json", 2),
        ("mini/v1173-mini-reasoning-high-res-api-sphinx-doc__sphinx-8548.traj.json", 4),
        ("mini/v1173-nano-output-sphinx-doc__sphinx-7757.traj.json", 25),
        ("mini/v1173-crash-AttributeError-sphinx-doc__sphinx-7590.traj.json", 6),
    ],
)
def test_mini_replies_in_a_wrong_format_are_found(row: str, wrong: int) -> None:
    (run,) = runs(row)
    failed = [message.kind for message in run.history.messages if message.failed]
    assert failed == [Kind.ACTION, Kind.NOTE] * wrong


def sent_by_sweagent(run: Trajectory) -> list[tuple[int, list[dict[str, Any]]]]:
    """The requests of a run, and how much of its history each could hold.

    1.1 stores with each step what it sent (``query``); before, what it would send next (``messages``).
    """
    steps = json.loads(Path(run.source).read_bytes())["trajectory"]
    uptos = [call.upto for call in run.calls]
    if "query" in steps[0]:
        return [(upto, step["query"]) for upto, step in zip(uptos, steps, strict=False)]
    return [(upto, step["messages"]) for upto, step in zip([*uptos[1:], len(run.history)], steps, strict=True)]


@pytest.mark.parametrize(
    ("name", "hidden"),
    [
        ("v1-smith-pandas-dev__pandas.95280573.pr_53652.traj", 0),
        ("v1-smith-pydantic__pydantic.acb0f10f.pr_8316.traj", 0),
        ("v1-seagent-sphinx-8551-it2.traj", 0),
        ("v1-seagent-astropy__astropy-7606.traj", 0),
        ("v1-demo-marshmallow-funccall-from-source.traj", 36),
    ],
)
def test_what_sweagent_sent_is_the_history_up_to_the_call(name: str, hidden: int) -> None:
    (run,) = runs(f"sweagent/{name}")
    placeholders = []
    for upto, request in sent_by_sweagent(run):
        for message, item in zip(run.history.messages[:upto], request, strict=True):
            text, _ = text_of(item["content"])
            if message.kind is Kind.OBSERVATION and message.text != text:
                placeholders.append(text)
            else:
                assert text in message.text
    assert len(placeholders) == hidden
    assert all(text.startswith("Old environment output: (") for text in placeholders)
    assert run.condensed is bool(hidden)
