import json
import os
import pickle
import sys
import tracemalloc
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path, PurePath
from runpy import run_path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_strategies.history import History, Kind, Message
from context_strategies.trajectories import Refusal, Source, Trajectory, find, load, mini, read, sweagent
from context_strategies.trajectories.raw import parse_file, parse_lines

CHAT = [
    {"role": "system", "content": "You fix bugs."},
    {"role": "user", "content": "Fix a.py."},
    {"role": "assistant", "content": "Look.\n```bash\ncat a.py\n```"},
    {"role": "user", "content": "<returncode>0</returncode>"},
]
TRAJ = {
    "trajectory": [{"action": "ls", "observation": "a.py"}],
    "history": [
        {"role": "system", "content": "You fix bugs.", "agent": "main"},
        {"role": "user", "content": "Fix a.py.", "agent": "main"},
        {"role": "assistant", "content": "Look.", "action": "ls", "agent": "main"},
        {"role": "user", "content": "a.py", "agent": "main"},
    ],
    "info": {"exit_status": "submitted"},
}


def _parse_parts(values: Iterable[tuple[str, Any]], source: str) -> Iterator[Trajectory]:
    names = [(name, value["event"]) for name, value in values]
    history = History(Message(Kind.NOTE, f"{name}={event}") for name, event in names)
    yield Trajectory(Path(source).name, source, "Events", "", history, ())


EVENTS = SimpleNamespace(
    NAME="Events",
    claims_part=lambda value: isinstance(value, dict) and "event" in value,
    parse_parts=_parse_parts,
)


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> None:
    """Know one format only whose runs are spread over many files."""
    monkeypatch.setattr(import_module("context_strategies.trajectories.load"), "FORMATS", (sweagent, mini, EVENTS))


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


def refusals(*paths: Path) -> list[str]:
    return [result.reason for result in read(paths) if isinstance(result, Refusal)]


def runs(*paths: Path) -> list[Trajectory]:
    return [result for result in read(paths) if isinstance(result, Trajectory)]


def shown(*paths: Path) -> list[list[str]]:
    return [[message.text for message in run.history.messages] for run in runs(*paths)]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b" \n\t ", "empty"),
        (json.dumps(TRAJ).encode()[:-9], "no JSON: "),
        (b"\0" * 4096, "no JSON: "),
        (b'{"trajectory": "\0"}', "no JSON: Invalid control character"),
        (b"the run crashed", "no JSON: Expecting value"),
        (b"\xff\xfe\xfa", "no JSON: "),
        (pickle.dumps(TRAJ), "no JSON: "),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"a":' * 200_000, "nested too deeply"),
        (b"42", "no known format; known are: "),
        (b"[]", "no known format; known are: "),
        (b'{"django-1": {"model_patch": ""}}', "no known format; known are: "),
        (b'[{"role": ["user"], "content": ""}]', "no known format; known are: "),
        (b'{"trajectory": [], "history": [1]}', "malformed swe-agent: history[0] is a number, not an object"),
        (b'{"info": {}, "messages": [null]}', "malformed mini-swe-agent: messages[0] is missing, not an object"),
    ],
)
def test_what_is_no_recording_is_refused_in_one_line(tmp_path: Path, content: bytes, reason: str) -> None:
    bad = tmp_path / "bad.traj"
    bad.write_bytes(content)
    write(tmp_path / "good.traj", TRAJ)

    results = list(read([tmp_path]))

    assert [type(result) for result in results] == [Refusal, Trajectory]
    assert str(results[0]).startswith(f"{bad}: {reason}")
    assert "\n" not in str(results[0])


def test_a_document_above_the_bound_is_refused_with_both_sizes(tmp_path: Path) -> None:
    path = write(tmp_path / "big.json", "x" * 2000)
    assert parse_file(path, limit=1000) == Refusal(str(path), "2,002 bytes; at most 1,000 are read")
    assert parse_file(path, limit=2002) == "x" * 2000


def test_a_line_above_the_bound_is_refused_and_the_next_ones_are_read(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text('"' + "x" * 5000 + '"\n\n"short"\n"' + "y" * 98 + '"')
    reason = "5,003 bytes; at most 100 are read"
    assert list(parse_lines(path, limit=100)) == [
        ("line 1", Refusal(str(path), reason)),
        ("line 3", "short"),
        ("line 4", "y" * 98),
    ]


@pytest.mark.parametrize("text", ["NaN", r'"\ud800"', "[1e999]"])
def test_json_that_only_the_standard_parser_takes_is_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.json"
    path.write_text(text)
    assert not isinstance(parse_file(path), Refusal)


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(self))

    path = write(tmp_path / "a.traj", TRAJ)
    monkeypatch.setattr(Path, "read_bytes", denied)
    assert list(read([path])) == [Refusal(str(path), "Permission denied")]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_folder_that_may_not_be_read(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o000)
    try:
        assert list(read([tmp_path])) == [Refusal(str(closed), "Permission denied")]
    finally:
        closed.chmod(0o700)


def test_paths_that_hold_no_recording(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    other = write(tmp_path / "other" / "config.yaml", {}).parent
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    nothing = "no recording in this folder: no .traj, .json or .jsonl file"
    assert list(read([tmp_path / "absent", empty, other, pipe])) == [
        Refusal(str(tmp_path / "absent"), "No such file or directory"),
        Refusal(str(empty), nothing),
        Refusal(str(other), nothing),
        Refusal(str(pipe), "neither a file nor a folder"),
    ]


def test_a_folder_is_searched_in_natural_order_and_pickles_are_never_opened(tmp_path: Path) -> None:
    for name in ("run10.traj", "run9.traj", "b/run1.traj.json", "a/x.jsonl"):
        write(tmp_path / name, TRAJ)
    (tmp_path / "agent_state.pkl").write_bytes(b"cposix\nsystem\n(S'exit 1'\ntR.")
    (tmp_path / "run_batch.log").write_text("noise")

    found = find([tmp_path])

    assert all(isinstance(source, Source) for source in found)
    assert [run.id for run in runs(tmp_path)] == ["run9", "run10", "x:1", "run1"]
    assert len(found) == 4


@pytest.mark.parametrize("name", ["a.context.jsonl", "context.jsonl", "context-strategies.jsonl"])
def test_events_of_our_plugins_beside_a_run_are_no_recordings(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.traj").write_text(json.dumps(TRAJ))
    (tmp_path / name).write_text('{"event": "step", "turn": 0}\n')
    assert [type(found) for found in read([tmp_path])] == [Trajectory]


def test_a_recording_with_a_name_like_theirs_is_read(tmp_path: Path) -> None:
    write(tmp_path / "mycontext.jsonl", TRAJ)
    assert len(runs(tmp_path)) == 1


def test_a_file_named_directly_is_read_whatever_its_suffix(tmp_path: Path) -> None:
    assert [run.format for run in runs(write(tmp_path / "messages.txt", CHAT))] == ["mini-swe-agent"]


def test_links_make_no_loop_and_no_second_reading(tmp_path: Path) -> None:
    path = write(tmp_path / "runs" / "a.traj", TRAJ)
    (tmp_path / "runs" / "again").symlink_to(tmp_path / "runs", target_is_directory=True)
    (tmp_path / "runs" / "b.traj").symlink_to(path)
    (tmp_path / "runs" / "c.traj").symlink_to("c.traj")
    assert len(runs(tmp_path, tmp_path / "runs", path)) == 1


@pytest.mark.usefixtures("events")
def test_the_files_of_one_run_are_one_source(tmp_path: Path) -> None:
    for number in (10, 9, 1):
        write(tmp_path / "session" / "events" / f"{number}.json", {"event": number})
    write(tmp_path / "session" / "event_cache" / "0-25.json", [{"event": 1}])
    write(tmp_path / "session" / "metadata.json", {"title": "a"})

    found = find([tmp_path])

    assert len(found) == 2
    assert shown(tmp_path) == [["1.json=1", "9.json=9", "10.json=10"]]
    assert refusals(tmp_path) == ["no known format; known are: swe-agent, mini-swe-agent, Events"]


@pytest.mark.usefixtures("events")
def test_files_beside_the_parts_of_a_run_are_not_looked_for_among_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        write(tmp_path / f"{number}.json", {"event": number})
        write(tmp_path / f"{number}.traj", TRAJ)
    compared: list[object] = []

    def equal(one: object, other: object) -> bool:
        compared.append(other)
        return one is other

    monkeypatch.setattr(PurePath, "__eq__", equal)
    assert len(find([tmp_path])) == 21
    assert not compared


@pytest.mark.usefixtures("events")
def test_of_refused_parts_no_more_is_kept_than_the_message_needs(tmp_path: Path) -> None:
    size, number = 500_000, 40
    write(tmp_path / "0.json", {"event": 0})
    for part in range(1, number):
        write(tmp_path / f"{part}.json", {"title": "x" * size})
    tracemalloc.start()
    try:
        assert refusals(tmp_path) == [
            f"1.json and {number - 2} more: no known format; known are: swe-agent, mini-swe-agent, Events"
        ]
        assert tracemalloc.get_traced_memory()[1] < number * size / 2
    finally:
        tracemalloc.stop()


@pytest.mark.usefixtures("events")
@pytest.mark.parametrize("named", ["conversation", "conversation/events"])
def test_the_state_beside_a_folder_of_events_belongs_to_the_run(tmp_path: Path, named: str) -> None:
    write(tmp_path / "conversation" / "base_state.json", {"event": "state"})
    write(tmp_path / "conversation" / "events" / "event-0.json", {"event": 0})
    assert shown(tmp_path / named) == [["base_state.json=state", "event-0.json=0"]]
    assert runs(tmp_path / named)[0].source == str(tmp_path / "conversation")


@pytest.mark.usefixtures("events")
def test_a_broken_part_is_refused_and_the_run_goes_on_without_it(tmp_path: Path) -> None:
    (tmp_path / "0.json").write_text('{"event": 0')
    write(tmp_path / "1.json", {"event": 1})
    (tmp_path / "2.json").write_text("")
    write(tmp_path / "3.json", {"title": "no event"})
    (tmp_path / "4.json").write_text("")
    assert shown(tmp_path) == [["1.json=1"]]
    cut, empty, unknown = refusals(tmp_path)
    assert cut.startswith("0.json: no JSON: ")
    assert empty == "2.json and 1 more: empty"
    assert unknown.startswith("3.json: no known format")


@pytest.mark.usefixtures("events")
def test_a_part_named_alone_is_refused_with_advice(tmp_path: Path) -> None:
    part = write(tmp_path / "7.json", {"event": 7})
    assert refusals(part) == ["one part of a run (Events): name its folder instead"]


@pytest.mark.usefixtures("events")
def test_a_jsonl_of_parts_is_one_run(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text('{"event": 1}\n\n{"event": 2}\n{"event"')
    assert shown(path) == [["line 1=1", "line 3=2"]]
    assert len(refusals(path)) == 1
    assert refusals(path)[0].startswith("line 4: no JSON: ")


def test_a_jsonl_is_a_run_a_line_and_refuses_lines_of_one_reason_together(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    lines = [{"note": "header"}, TRAJ, {"trajectory": [], "history": [0]}, CHAT, {"note": "footer"}, {"more": 1}]
    path.write_text("\n".join(map(json.dumps, lines)))
    assert [run.source for run in runs(path)] == [f"{path}:2", f"{path}:4"]
    unknown, malformed = refusals(path)
    assert unknown.startswith("line 1 and 2 more: no known format")
    assert malformed.startswith("line 3: malformed swe-agent: history[0]")


@pytest.mark.parametrize("content", [b"", b"\n\n"])
def test_an_empty_jsonl(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(content)
    assert list(read([path])) == [Refusal(str(path), "empty")]


def test_reading_is_finding_and_loading(tmp_path: Path) -> None:
    write(tmp_path / "a.traj", TRAJ)
    write(tmp_path / "b.json", {})
    ids = [getattr(result, "id", None) for source in find([tmp_path]) for result in load(source)]
    assert ids == [getattr(result, "id", None) for result in read([tmp_path])] == ["a", None]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield (*path, key)
        yield from _places(inner, (*path, key))


def _replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    copied = json.loads(json.dumps(value))
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return copied


@given(st.data())
def test_any_damage_gives_a_run_or_a_refusal(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    original = data.draw(st.sampled_from([TRAJ, {"info": {"model_stats": {"api_calls": 1}}, "messages": CHAT}]))
    place = data.draw(st.sampled_from(list(_places(original))))
    damaged = _replaced(original, place, data.draw(JSON))
    path = tmp_path_factory.getbasetemp() / "damaged.json"
    path.write_text(json.dumps(damaged))
    (result,) = read([path])
    assert isinstance(result, Trajectory | Refusal)
    assert "\n" not in str(getattr(result, "reason", ""))


def test_a_line_file_that_may_not_be_read(tmp_path: Path) -> None:
    assert list(parse_lines(tmp_path)) == [("", Refusal(str(tmp_path), "Is a directory"))]


def test_the_standard_parser_does_where_the_fast_one_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(import_module("context_strategies.trajectories.raw").__file__ or "")
    monkeypatch.setitem(sys.modules, "orjson", None)
    assert run_path(str(path))["fast_loads"] is json.loads
