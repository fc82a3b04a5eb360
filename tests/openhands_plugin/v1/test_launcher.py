"""What the launcher says of the settings of OpenHands' command line before it starts it."""

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("openhands.sdk", reason="the OpenHands SDK is not installed here")

from openhands_plugin.v1.__main__ import main, refusal

LLM = {"model": "openai/x", "usage_id": "condenser"}
OURS = {"kind": "ContextCondenser", "llm": LLM}


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file, where a stand-in for OpenHands' command line, which pins an SDK of its own, looks for it."""
    locations = SimpleNamespace(get_persistence_dir=lambda: str(tmp_path), AGENT_SETTINGS_PATH="agent_settings.json")
    monkeypatch.setitem(sys.modules, "openhands_cli.locations", locations)
    return tmp_path / "agent_settings.json"


@pytest.mark.parametrize(
    ("condenser", "said"),
    [
        ({**OURS, "strategy": "masking:window=3"}, ""),
        ({"kind": "LLMSummarizingCondenser", "llm": LLM}, ""),
        ({"kind": "NoOpCondenser"}, ""),
        (None, ""),
        ({"kind": "MaskingCondenser"}, "condenser: OpenHands' command line takes no MaskingCondenser; use Context"),
        ({**OURS, "strategy": "maskin"}, 'condenser: unknown strategy "maskin"; choose one of: raw, masking'),
        ({**OURS, "stratgy": "masking"}, "condenser.stratgy: "),
        ({"kind": "ContextCondenser"}, "condenser.llm: Field required"),
        ({"kind": "ContextCondensor", "llm": LLM}, "condenser: Unknown kind 'ContextCondensor'"),
    ],
)
def test_a_condenser_that_would_be_left_out_is_named(
    settings: Path, condenser: dict[str, Any] | None, said: str
) -> None:
    settings.write_text(json.dumps({"kind": "Agent", "llm": {"model": "openai/x"}, "condenser": condenser}))
    assert refusal().startswith(f"{settings}: {said}" if said else "")
    assert bool(refusal()) == bool(said)


@pytest.mark.parametrize("content", [b'{"llm":', b"\xff", b""])
def test_a_file_that_is_no_json_is_named(settings: Path, content: bytes) -> None:
    settings.write_bytes(content)
    assert refusal().startswith(f"{settings}: its text: Invalid JSON")


@pytest.mark.usefixtures("settings")
def test_nothing_set_up_yet_is_no_error() -> None:
    assert not refusal()


@pytest.mark.skipif(find_spec("openhands_cli") is not None, reason="OpenHands' command line is installed here")
def test_without_the_command_line_it_says_what_to_install(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 1
    assert "pip install openhands" in capsys.readouterr().err
    assert not refusal()
