"""The folder that a cell works in: a copy of the instance's, as a git repository, and what has changed in it."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from context_strategies.errors import ConfigError
from context_strategies.experiment.cells import Cell

CHANGES = "changes.patch"
SECONDS = 60

FIXED = {
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "context-strategies"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "cell@localhost"),
    **dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2000-01-01T00:00:00Z"),
}
"""Whose the first commit is: the same bytes each time, and none of the user's."""


def place_of(cell: Cell) -> Path:
    """Where ``cell`` works: as long in every cell, since paths stand in outputs and cost tokens."""
    return Path(tempfile.gettempdir()) / f"cell-{cell.key}"


def prepare(cell: Cell) -> Path | None:
    """A fresh copy of the instance's folder, a git repository of its own; None where the scaffold brings one.

    The copy of a worktree or a submodule begins with one commit, since its past lies elsewhere. Raises ConfigError,
    OSError.
    """
    if cell.instance.folder is None:
        return None
    place = place_of(cell)
    remove(place)
    shutil.copytree(cell.home / cell.instance.folder, place, symlinks=True)
    git = place / ".git"
    if git.is_symlink() or not git.is_dir():  # a worktree's and a submodule's is a file that leads to the user's own
        git.unlink(missing_ok=True)
        _git(place, "init", "--quiet", "--initial-branch=main")
        _git(place, "add", "--all", "--force")
        _git(place, "commit", "--quiet", "--no-verify", "--no-gpg-sign", "--message=Start")
    return place


def keep_changes(place: Path, start: str, folder: Path) -> None:
    """Write what differs from the commit ``start``, new files included, as a patch into ``folder``."""
    _git(place, "add", "--all")
    changes = _git(place, "diff", "--cached", "--binary", "--no-ext-diff", start)
    if changes:
        (folder / CHANGES).write_bytes(changes)


def commit_of(place: Path) -> str:
    """The commit that a workspace stands at."""
    return _git(place, "rev-parse", "HEAD").decode().strip()


def remove(place: Path) -> None:
    """Remove a workspace, as far as that can be done."""
    shutil.rmtree(place, ignore_errors=True)


def _git(place: Path, *arguments: str) -> bytes:
    """What git prints; raises ConfigError where it fails."""
    git = shutil.which("git")
    if git is None:
        raise ConfigError("git is needed for instances with a folder")
    try:
        done = subprocess.run(  # noqa: S603 - git, with words of ours
            [git, *arguments], cwd=place, env={**os.environ, **FIXED}, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise ConfigError(f"git {arguments[0]} in {place}: took longer than {SECONDS} s") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise ConfigError(f"git {arguments[0]} in {place}: {said[-1] if said else 'failed'}")
    return done.stdout
