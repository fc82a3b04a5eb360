"""Experiments in a folder of their own, with a stand-in for a scaffold."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from experiment_files import STAND_IN, Files, Make


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Return what writes an experiment: ``tasks`` by instance for the stand-in, and anything else of its file."""
    (tmp_path / "scratch").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "repository").mkdir()
    (tmp_path / "repository" / "a.txt").write_text("1\n")

    def write(tasks: Mapping[str, str] | None = None, **more: Any) -> Files:
        instances = [
            {"id": name, "folder": "repository", "task": task} for name, task in (tasks or {"one": "ok"}).items()
        ]
        plan = {
            "scaffolds": {"mini": {"wrapper": [sys.executable, str(STAND_IN)]}},
            "strategies": ["raw"],
            "models": ["openai/gpt-4.1-mini"],
            "instances": instances,
            **more,
        }
        path = tmp_path / "experiment.yaml"
        path.write_text(yaml.safe_dump(plan, sort_keys=False))
        return Files(path)

    return write
