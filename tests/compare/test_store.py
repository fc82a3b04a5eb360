"""One process at a time is at a file of results, and what can't be kept is said with its name."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from context_strategies.cli import app
from context_strategies.compare.store import Store
from context_strategies.compare.work import Replayed
from context_strategies.errors import ConfigError
from context_strategies.trajectories import Refusal

RUN = Path(__file__).resolve().parents[2] / "examples" / "recordings" / "mini-tools.traj.json"
DONE = Replayed(refusals=[Refusal("a", "b")])
HOLD = "import sys; from pathlib import Path; from context_strategies.compare.store import Store; "
HOLD += "store = Store(Path(sys.argv[1])); print('there', flush=True); sys.stdin.read()"


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Another process has the store at ``path``."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(place for place in sys.path if place)}
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as other:
        assert other.stdout
        assert other.stdin
        assert other.stdout.readline() == "there\n"
        try:
            yield
        finally:
            other.stdin.close()


def test_a_second_process_is_told_and_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    Store(path).add("k", DONE)
    before = path.read_bytes()
    arguments = ["replay", str(RUN), "-s", "raw", "--out", str(tmp_path)]
    with held(path):
        for more in ([], ["--fresh"]):
            result = CliRunner().invoke(app, [*arguments, *more])
            assert result.exit_code == 2
            assert result.stderr == f"context-strategies: {path}: another process is at it\n"
            assert path.read_bytes() == before
    assert CliRunner().invoke(app, arguments).exit_code == 0


def test_a_released_store_is_read_while_another_replaces_the_file(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    first = Store(path)
    first.add("a", DONE)
    with pytest.raises(ConfigError, match="another process is at it"):
        Store(path)
    first.release()
    second = Store(path, fresh=True)
    assert "a" in first
    assert "a" not in second
    assert first["a"] == DONE
    assert path.read_bytes() == b""


def test_a_tidied_file_is_still_this_processs_alone(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    store = Store(path)
    for key in "abc":
        store.add(key, DONE)
    store.tidy("ca")
    store.add("d", DONE)
    with pytest.raises(ConfigError, match="another process is at it"):
        Store(path)
    store.release()
    again = Store(path)
    assert [key in again for key in "abcd"] == [True, False, True, True]
    assert again["d"] == DONE
    assert [entry.name for entry in tmp_path.iterdir()] == ["runs.jsonl"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_full_disk_is_said_with_the_files_name(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs.jsonl")
    store._file = Path("/dev/full").open("r+b")  # noqa: SIM115 - the store's own from now on
    with pytest.raises(ConfigError, match=r"runs\.jsonl: can't be written: No space left on device"):
        store.add("a", DONE)
    assert "a" not in store
    store._file = Path(os.devnull).open("r+b")  # noqa: SIM115 - what was not written goes there


def test_a_folder_that_can_not_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"file/runs\.jsonl: can't be written: "):
        Store(tmp_path / "file" / "runs.jsonl")
