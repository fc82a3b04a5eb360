"""What is built and installed: the same four typed packages from a wheel, an sdist and a checkout."""

import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PINS = ROOT / "constraints" / "core.txt"
UV = os.environ.get("UV", "")
PACKAGES = ("context_strategies", "mini_swe_agent_plugin", "openhands_plugin", "swe_agent_plugin")

pytestmark = [
    pytest.mark.skipif(not UV, reason="the variable UV does not name a uv executable; `make test` sets it"),
    pytest.mark.xdist_group("package"),
]

# Runs in an environment that has the project and its core dependencies alone, in a folder with nothing in it.
PROBE = """
import importlib.resources, importlib.util, sys
for name in sys.argv[1:]:
    package = importlib.import_module(name)
    assert importlib.resources.files(name).joinpath("py.typed").is_file(), f"{name} is not typed"
for name in ("shared", "tests", "examples", "litellm", "typer", "openhands", "sweagent", "minisweagent"):
    assert importlib.util.find_spec(name) is None, f"{name} is importable"
"""


@dataclass(frozen=True, slots=True)
class Built:
    """The files of one build: a wheel of the checkout, an sdist, and the wheel made of that sdist."""

    wheel: Path
    sdist: Path
    wheel_of_sdist: Path


def run(*command: str | Path, cwd: Path) -> str:
    # A PYTHONPATH of the test run would let the checkout stand in for what is installed.
    env = {key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    direct, through = tmp_path_factory.mktemp("direct"), tmp_path_factory.mktemp("through")
    build = (UV, "build", "--quiet", "--python", sys.executable, "--build-constraints", PINS)
    run(*build, "--wheel", "--out-dir", direct, cwd=ROOT)
    run(*build, "--out-dir", through, cwd=ROOT)  # the sdist, and a wheel from it
    return Built(next(direct.glob("*.whl")), next(through.glob("*.tar.gz")), next(through.glob("*.whl")))


def names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return sorted(archive.namelist())


def test_wheel_holds_the_packages_and_nothing_else(built: Built) -> None:
    held = names(built.wheel)
    tops = {name.split("/")[0] for name in held}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)
    assert not [name for name in held if name.endswith(".pth")]


def test_wheel_holds_every_file_of_the_packages(built: Built) -> None:
    held = set(names(built.wheel))
    folders = {package: ROOT / package for package in PACKAGES} | {PACKAGES[0]: ROOT / "shared" / PACKAGES[0]}
    wanted = {
        f"{package}/{path.relative_to(folder).as_posix()}"
        for package, folder in folders.items()
        for pattern in ("*.py", "*.j2", "*.css", "*.js", "py.typed")
        for path in folder.rglob(pattern)
    }
    assert wanted <= held


def test_wheel_of_the_sdist_is_the_wheel_of_the_checkout(built: Built) -> None:
    assert names(built.wheel_of_sdist) == names(built.wheel)


@pytest.mark.parametrize("kind", ["wheel", "sdist", "editable"])
def test_installs_with_core_dependencies_alone(kind: str, built: Built, tmp_path: Path) -> None:
    environment, empty = tmp_path / "env", tmp_path / "empty"
    empty.mkdir()
    # uv reads an editable's dependencies without asking its build backend, which would have added editables.
    editable = ("editables", "--editable", ROOT)
    sources: dict[str, tuple[str | Path, ...]] = {
        "wheel": (built.wheel,),
        "sdist": (built.sdist,),
        "editable": editable,
    }
    run(UV, "venv", "--quiet", "--python", sys.executable, environment, cwd=empty)
    install = (UV, "pip", "install", "--quiet", "--python", environment)
    run(*install, "--constraint", PINS, "--build-constraints", PINS, *sources[kind], cwd=empty)
    run(environment / "bin" / "python", "-c", PROBE, *PACKAGES, cwd=empty)


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_the_wheel_replays_on_every_python_it_names(version: str, built: Built, tmp_path: Path) -> None:
    find = [UV, "python", "find", "--no-python-downloads", version]
    elsewhere = {**os.environ, "PYENV_VERSION": version}  # pyenv's own names run nothing but the version it is told
    found = subprocess.run(find, env=elsewhere, cwd=tmp_path, capture_output=True, text=True, check=False)
    if found.returncode != 0:
        pytest.skip(f"Python {version} is not on this machine")
    environment, empty = tmp_path / "env", tmp_path / "empty"
    empty.mkdir()
    run(UV, "venv", "--quiet", "--python", found.stdout.strip(), environment, cwd=empty)
    run(UV, "pip", "install", "--quiet", "--python", environment, f"{built.wheel}[compare]", cwd=empty)
    shown = run(environment / "bin" / "context-strategies", "replay", ROOT / "examples" / "recordings", cwd=empty)
    assert "break_even" in run(environment / "bin" / "context-strategies", "strategies", cwd=empty)
    assert "4 runs, 149 calls" in shown


def test_an_index_would_take_both(built: Built) -> None:
    run(sys.executable, "-m", "twine", "check", "--strict", built.wheel, built.sdist, cwd=ROOT)
