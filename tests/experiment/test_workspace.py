"""A cell works in a copy, and what it changed there is kept."""

import shutil
import subprocess
from pathlib import Path

from context_strategies.experiment import workspace
from experiment_files import Make

GIT = ["git", "-c", "user.name=a", "-c", "user.email=a"]


def test_the_same_copy_each_time(make: Make) -> None:
    one, two = make({"one": "ok", "longer-name": "ok"}).cells
    places = [workspace.prepare(cell) for cell in (one, two, one)]
    first, second, again = [place for place in places if place]
    assert first == again
    assert len(str(first)) == len(str(second))
    assert len({workspace.commit_of(place) for place in (first, second, again)}) == 1
    assert (first / "a.txt").read_text() == "1\n"
    workspace.remove(first)
    assert not first.exists()


def test_changes_are_a_patch_of_all_that_differs(make: Make, tmp_path: Path) -> None:
    (cell,) = make().cells
    place = workspace.prepare(cell)
    assert place
    start = workspace.commit_of(place)
    workspace.keep_changes(place, start, tmp_path)
    assert not (tmp_path / workspace.CHANGES).exists()
    (place / "a.txt").write_text("2\n")
    subprocess.run([*GIT, "commit", "-qam", "x"], cwd=place, check=True)
    (place / "new.bin").write_bytes(b"\x00\xff")
    workspace.keep_changes(place, start, tmp_path)
    patch = (tmp_path / workspace.CHANGES).read_bytes()
    assert b"-1\n+2\n" in patch
    assert b"new.bin" in patch


def test_a_repository_stays_the_one_it_is(make: Make, tmp_path: Path) -> None:
    (cell,) = make().cells
    repository = tmp_path / "repository"
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "theirs"]):
        subprocess.run([*GIT, *words], cwd=repository, check=True)
    place = workspace.prepare(cell)
    assert place
    assert workspace.commit_of(place) == workspace.commit_of(repository)


def test_nothing_done_in_a_copy_reaches_the_users_repository(make: Make, tmp_path: Path) -> None:
    """A worktree's ``.git`` is a file, and another's a link, that lead to the folder which holds its past."""
    theirs, repository = tmp_path / "theirs", tmp_path / "repository"
    theirs.mkdir()
    for words in (["init", "-q"], ["commit", "-qm", "theirs", "--allow-empty"], ["branch", "side"]):
        subprocess.run([*GIT, *words], cwd=theirs, check=True)
    shutil.rmtree(repository)
    subprocess.run([*GIT, "worktree", "add", "-q", repository, "side"], cwd=theirs, check=True)
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / ".git").symlink_to(theirs / ".git")
    for folder in ("repository", "linked"):
        (cell,) = make(instances=[{"id": "one", "folder": folder, "task": "ok"}]).cells
        (tmp_path / folder / "new.txt").write_text("x")
        before = status(tmp_path / folder)
        place = workspace.prepare(cell)
        assert place
        workspace.keep_changes(place, workspace.commit_of(place), tmp_path)
        subprocess.run([*GIT, "commit", "-qm", "agent", "--allow-empty"], cwd=place, check=True)
        assert status(tmp_path / folder) == before
        assert (place / ".git" / "HEAD").is_file()


def status(folder: Path) -> bytes:
    """Commits of all branches, and what differs from them."""
    words = ["log", "--all", "--format=%H"], ["status", "--porcelain"]
    return b"".join(subprocess.run([*GIT, *one], cwd=folder, check=True, capture_output=True).stdout for one in words)
