import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STANDIN = Path(__file__).parent / "standin"
OURS = ("hybrid", "llm_summary", "masking", "raw", "rolling_summary", "truncation")


def start(
    *arguments: str, python: str | Path = sys.executable, standin: bool = True
) -> subprocess.CompletedProcess[str]:
    paths = [ROOT / "shared", ROOT, *([STANDIN] if standin else [])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    command = [python, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_the_arguments_and_the_exit_code_are_sweagents() -> None:
    done = start("-m", "swe_agent_plugin", "run", "--agent.model.name=gpt-4o")
    assert (done.returncode, done.stderr) == (0, "")
    arguments, _, types = done.stdout.strip().partition(" | ")
    assert arguments == "run --agent.model.name=gpt-4o"
    assert types.split() == sorted([*OURS, "cache_control", "default"])
    assert start("-m", "swe_agent_plugin", "run", "fail").returncode == 3


def test_help_lists_the_types_before_sweagents_own() -> None:
    help_text, _, own = start("-m", "swe_agent_plugin", "run", "--help").stdout.partition("run --help")
    assert own
    assert all(f"  {name} " in help_text for name in OURS)
    assert start("-m", "swe_agent_plugin").stdout.startswith(help_text)


def test_without_sweagent_it_says_what_to_install() -> None:
    done = start("-m", "swe_agent_plugin", "run", standin=False)
    assert done.returncode == 1
    assert "https://github.com/SWE-agent/SWE-agent" in done.stderr


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a virtual environment that sees the packages of the one the tests run in."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, timeout=60)
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "outer.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    return folder


def test_enable_and_disable(environment: Path) -> None:
    python = environment / "bin" / "python"
    site = next(environment.glob("lib/python*/site-packages"))
    before = sorted(site.iterdir())
    plain = ("-c", "import sweagent.run.run as run; run.main(['plain'])")
    assert "masking" not in start(*plain, python=python).stdout

    enabled = start("-m", "swe_agent_plugin", "enable", python=python)
    (written,) = set(site.iterdir()) - set(before)
    assert str(written) in enabled.stdout
    assert "masking" in start(*plain, python=python).stdout
    assert start("-m", "swe_agent_plugin", "enable", python=python).returncode == 0

    assert str(written) in start("-m", "swe_agent_plugin", "disable", python=python).stdout
    assert sorted(site.iterdir()) == before
    assert "masking" not in start(*plain, python=python).stdout
    assert start("-m", "swe_agent_plugin", "disable", python=python).returncode == 0


def test_what_it_did_not_write_is_left_alone(environment: Path) -> None:
    python = environment / "bin" / "python"
    start("-m", "swe_agent_plugin", "enable", python=python)
    (written,) = environment.glob("lib/python*/site-packages/zz_*.pth")
    written.write_text("# mine\n")
    for command in ("enable", "disable"):
        done = start("-m", "swe_agent_plugin", command, python=python)
        assert done.returncode == 1
        assert str(written) in done.stderr
    assert written.read_text() == "# mine\n"
    written.unlink()


def test_a_shared_python_is_refused() -> None:
    code = "import sys; sys.prefix = sys.base_prefix; from swe_agent_plugin.launcher import main; main(['enable'])"
    done = start("-c", code)
    assert not done.stdout
    assert "virtual environment" in done.stderr
