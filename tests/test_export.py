"""Any recorded run goes over to ATIF and comes back the same."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from atif_schema import Document
from context_strategies.cli import app
from context_strategies.history import History, Kind, Message
from context_strategies.prices import Usage
from context_strategies.trajectories import Call, Refusal, Source, Trajectory, find, load, read
from context_strategies.trajectories.atif_export import written

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "recordings"
RECORDINGS = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "trajectories"


def sources() -> list[Any]:
    found = find([folder for folder in (EXAMPLES, RECORDINGS) if folder.is_dir()])
    return [pytest.param(one, id=one.path.name) for one in found if isinstance(one, Source)]


def back(run: Trajectory, folder: Path) -> Trajectory:
    line = written(run)
    assert isinstance(line, str), line
    Document.model_validate_json(line)
    path = folder / "back.json"
    path.write_text(line, encoding="utf-8")
    (again,) = read([path])
    assert isinstance(again, Trajectory), again
    return again


def plain(run: Trajectory) -> tuple[Any, ...]:
    """All of a run but what tells where it was read."""
    messages = [replace(message, key=None) for message in run.history.messages]
    told = (run.id, run.model, run.exit_status, run.condensed, run.cost, run.lost)
    return (*told, messages, run.history.orphans, run.history.turns, run.calls, run.side_calls, run.totals)


@pytest.mark.parametrize("source", sources())
def test_every_recording_comes_back_the_same(source: Source, tmp_path: Path) -> None:
    for run in load(source):
        assert isinstance(run, Trajectory), run
        assert plain(back(run, tmp_path)) == plain(run)


def test_without_recordings_the_examples_are_there() -> None:
    assert len(sources()) >= 4


def test_calls_are_told_apart_from_the_text_before_them(tmp_path: Path) -> None:
    (run,) = read([EXAMPLES / "mini-tools.traj.json"])
    assert isinstance(run, Trajectory)
    document = json.loads(str(written(run)))
    steps = [step for step in document["steps"] if step["source"] == "agent"]
    assert len(steps) == len(run.calls)
    assert all(call["arguments"]["command"] for step in steps for call in step["tool_calls"])
    assert all(result["source_call_id"] for step in steps[:-1] for result in step["observation"]["results"])
    assert not any("\nbash(" in step["message"] for step in steps)


TEXTS = st.text(max_size=8) | st.sampled_from(
    ["run(1)", 'ls({"a": 1})', "a\nls()", '\nls({"a(b": 1,\n"b(": 2})', "x\n"]
)
IDS = st.lists(st.sampled_from(["", "a", "b", "c"]), max_size=3).map(tuple)
MESSAGES = st.builds(
    Message,
    st.sampled_from(sorted(Kind)),
    TEXTS,
    st.none(),
    IDS,
    st.sampled_from(["", "ls"]),
    TEXTS,
    st.frozensets(st.sampled_from(["keep", "drop"])),
    st.integers(0, 2),
    st.booleans(),
    st.booleans(),
    st.integers(0, 50),
)
TOKENS = st.integers(0, 99)
USAGES = st.builds(
    lambda rest, cached, written, output: Usage(1 + rest + cached + written, cached, written, output),
    *[TOKENS] * 4,
)
CALLS = st.builds(Call, st.integers(0, 9), st.none() | USAGES, st.none() | st.floats(0.001, 9))


def valid(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def shaped(message: Message) -> Message:
    """``message`` as readers make it: only replies and results have call ids."""
    has_ids = message.kind in {Kind.ACTION, Kind.OBSERVATION}
    return replace(message, text=valid(message.text), call_ids=message.call_ids if has_ids else ())


@given(st.lists(MESSAGES, min_size=1, max_size=9), st.lists(CALLS, max_size=5), st.lists(CALLS, max_size=2))
def test_any_history_comes_back_the_same(
    tmp_path_factory: pytest.TempPathFactory, messages: Sequence[Message], calls: list[Call], side: list[Call]
) -> None:
    calls, side = ([replace(call, upto=min(call.upto, len(messages))) for call in some] for some in (calls, side))
    placed = sorted(calls, key=lambda call: call.upto)
    history = History(map(shaped, messages))
    run = Trajectory("i", "a.json", "swe-agent", "m", history, tuple(placed), "done", cost=0.5, lost=("x",))
    run = replace(run, condensed=bool(side), side_calls=tuple(side))
    assert plain(back(run, tmp_path_factory.getbasetemp())) == plain(run)


@pytest.mark.parametrize(
    "text", ["\ud800", "a\0b", '{"a": NaN}', 'f({"a": NaN})', 'f({"a": 1e999})', "f(" + "[" * 9000]
)
def test_odd_texts_are_written_as_valid_json(tmp_path: Path, text: str) -> None:
    run = Trajectory("i", "a", "f", "", History([Message(Kind.ACTION, text, call_ids=("c",))]), ())
    assert back(run, tmp_path).history[0].text == valid(text)


def test_a_run_without_anything_is_refused() -> None:
    refused = written(Trajectory("i", "a.json", "f", "", History(), ()))
    assert str(refused) == "a.json: can't be written: no message and no call, and ATIF has at least one step"


def export(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["export", *arguments])


def test_a_line_a_run(tmp_path: Path) -> None:
    result = export(str(EXAMPLES))
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert len(lines) == 4
    path = tmp_path / "all.jsonl"
    path.write_text(result.stdout, encoding="utf-8")
    assert [plain(run) for run in read([path]) if isinstance(run, Trajectory)] == [
        plain(run) for run in read([EXAMPLES]) if isinstance(run, Trajectory)
    ]


def test_a_file_a_run_named_after_it(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    for name in ("a", "b"):
        (folder / name).mkdir(parents=True)
        messages = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "ok"}]
        record = {"info": {}, "messages": messages, "instance_id": "../../etc/passwd"}
        (folder / name / "a.traj.json").write_text(json.dumps(record))
    result = export(str(folder), "--out", str(tmp_path / "out"))
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"2 written to {tmp_path / 'out'}\n"
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["_.._etc_passwd-2.atif.json", "_.._etc_passwd.atif.json"]
    assert export(str(tmp_path / "out")).exit_code == 0


def test_no_run_is_written_over_another(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    for place, name in enumerate(("a", "a", "a-2", "a")):
        messages = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": f"ok {place}"}]
        record = {"info": {}, "messages": messages, "instance_id": name}
        (folder / f"{place}.traj.json").write_text(json.dumps(record))
    out = tmp_path / "out"
    assert export(str(folder), "--out", str(out)).stderr == f"4 written to {out}\n"
    texts = {path.name: path.read_text() for path in out.iterdir()}
    assert set(texts) == {f"{name}.atif.json" for name in ("a", "a-2", "a-2-2", "a-3")}
    assert sum(any(f"ok {place}" in text for text in texts.values()) for place in range(4)) == 4


def test_what_cannot_be_read_is_one_line_and_the_rest_goes_on(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{")
    result = export(str(tmp_path / "bad.json"), str(EXAMPLES / "mini-text.traj.json"))
    assert result.exit_code == 1
    assert re.fullmatch(r".*bad\.json: no JSON: [^\n]*\n", result.stderr)
    assert len(result.stdout.splitlines()) == 1
    alone = export(str(tmp_path / "bad.json"))
    assert alone.exit_code == 2
    assert alone.stderr.endswith("context-strategies: nothing to export: no recorded run was found\n")


def test_wrong_arguments(tmp_path: Path) -> None:
    unknown = export(str(EXAMPLES), "--format", "csv")
    assert (unknown.exit_code, unknown.stderr) == (2, "context-strategies: --format csv: choose one of: atif\n")
    assert export(str(tmp_path / "absent")).exit_code == 2
    (tmp_path / "file").touch()
    blocked = export(str(EXAMPLES), "--out", str(tmp_path / "file"))
    assert blocked.exit_code == 2
    assert "can't be written" in blocked.stderr


def test_a_refusal_is_no_run() -> None:
    assert isinstance(written(Trajectory("i", "s", "f", "", History(), ())), Refusal)
