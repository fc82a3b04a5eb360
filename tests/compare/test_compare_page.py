"""The tutorial in docs/compare.md: its folders can be made, and its commands print what the page says."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
SCRIPT = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
CONSOLE = re.compile(r"^```console\n\$ context-strategies (.*?)\n(.*?)^```", re.DOTALL | re.MULTILINE)
COMMAND = [sys.executable, "-c", "from context_strategies.cli import main; main()"]


def test_the_tutorial_runs_and_prints_what_the_page_says(tmp_path: Path) -> None:
    (script,) = SCRIPT.findall(PAGE)
    ((command, printed),) = CONSOLE.findall(PAGE)
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True, timeout=120)
    plain = {name: value for name, value in os.environ.items() if name != "COLUMNS"}  # no terminal's width
    done = subprocess.run(
        [*COMMAND, *shlex.split(command)],
        cwd=tmp_path,
        env=plain,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [line.rstrip() for line in done.stdout.splitlines()] == printed.splitlines()
