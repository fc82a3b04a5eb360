"""The launcher where OpenHands V0 is not installed."""

import subprocess
import sys
from pathlib import Path

import pytest

from openhands_plugin.__main__ import installed, main

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.skipif(installed(), reason="OpenHands V0 is installed here")
def test_without_openhands_it_says_what_to_install(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-t", "Do it."]) == 1
    assert "context-strategies[openhands-v0]" in capsys.readouterr().err


def test_translation_and_launcher_import_no_openhands() -> None:
    code = "import sys, openhands_plugin.__main__, openhands_plugin.v0.translate; print('openhands' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "False"
