import sys
import sysconfig
from pathlib import Path

import pytest

from swe_agent_plugin.enable import LINE, NAME, command


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the site-packages of a virtual environment."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(sysconfig, "get_path", lambda _name: str(tmp_path))
    return tmp_path


def test_a_start_up_file_is_written_and_removed(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = site / NAME
    for _ in range(2):
        assert command(["enable"]) == 0
        assert path.read_text(encoding="utf-8") == LINE
        assert capsys.readouterr().out.startswith(f"Wrote {path}\n")
    assert command(["disable"]) == 0
    assert not path.exists()
    assert capsys.readouterr().out == f"Removed {path}\n"
    assert command(["disable"]) == 0
    assert capsys.readouterr().out == f"Nothing to remove: there is no {path}\n"


@pytest.mark.parametrize("order", ["enable", "disable"])
def test_another_file_of_that_name_stays(site: Path, order: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = site / NAME
    path.write_text("# mine\n")
    assert command([order]) == 1
    assert path.read_text() == "# mine\n"
    assert str(path) in capsys.readouterr().err


def test_a_place_that_takes_no_file(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site.joinpath(NAME).mkdir()
    assert command(["enable"]) == 1
    assert capsys.readouterr().err.strip().endswith(f"{NAME}: Is a directory")


def test_wrong_arguments_and_a_shared_python(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(["enable", "now"]) == 1
    assert "enable takes no arguments" in capsys.readouterr().err
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    assert command(["enable"]) == 1
    assert "no virtual environment" in capsys.readouterr().err
