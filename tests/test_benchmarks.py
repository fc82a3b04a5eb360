"""Benchmarks that measure commands: one that fails is no fast one, and a slow one does not take the others with it."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks import figures

ROOT = Path(__file__).resolve().parents[1]


def test_a_command_that_fails_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")  # as where a benchmark is started
    throughput = import_module("benchmarks.throughput")
    assert throughput.measured([sys.executable, "-c", "pass"]).seconds > 0
    with pytest.raises(RuntimeError, match="exit code 3: no such thing"):
        throughput.measured([sys.executable, "-c", "import sys; sys.stderr.write('no such thing'); sys.exit(3)"])


def test_a_page_of_figures_says_what_was_not_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scripts = {
        "slow.py": "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)'])",
        "wrong.py": "raise ValueError('no')",
        "fine.py": "print('1 s')",
    }
    (tmp_path / "docs").mkdir()
    (tmp_path / "benchmarks").mkdir()
    for name, code in scripts.items():
        (tmp_path / "benchmarks" / name).write_text(code)
    monkeypatch.setattr(figures, "ROOT", tmp_path)
    monkeypatch.setattr(figures, "LIMIT", 3)
    monkeypatch.setattr(figures, "FIGURES", [(name, name, sys.executable) for name in scripts] + [("V0", "v0.py", "")])
    figures.main()
    _, slow, wrong, fine, absent = (tmp_path / "docs" / "figures.md").read_text().split("\n## ")
    assert "Not measured: it ran out of time, 3 s." in slow
    assert "Failed: ValueError: no" in wrong
    assert "```\n1 s\n```" in fine
    assert "Not measured: its host is not in this environment." in absent
