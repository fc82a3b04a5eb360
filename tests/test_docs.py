"""Code in the documentation that is marked to run does, and prints what the page says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

RUNNABLE = re.compile(
    r"<!-- runnable -->\n```python\n(.*?)^```\n(?:\nIt prints\n\n```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE
)
EXAMPLES = [
    pytest.param(code, printed, id=f"{page.name}-{n}")
    for page in PAGES
    for n, (code, printed) in enumerate(RUNNABLE.findall(page.read_text(encoding="utf-8")), 1)
]


@pytest.mark.parametrize(("code", "printed"), EXAMPLES)
def test_an_example_runs_and_prints_what_its_page_says(tmp_path: Path, code: str, printed: str) -> None:
    if "openai" in code:
        pytest.importorskip("openai")
    script = tmp_path / "example.py"
    script.write_text(code, encoding="utf-8")
    done = subprocess.run([sys.executable, script], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == printed


def test_every_mark_is_in_front_of_code() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert text.count("<!-- runnable -->") == len(RUNNABLE.findall(text)), page.name
    assert EXAMPLES
