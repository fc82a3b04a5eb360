"""Arrows point one way, imports are cheap, and what is declared is pinned."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "shared" / "context_strategies"
PLUGINS = ("swe_agent_plugin", "openhands_plugin", "mini_swe_agent_plugin")
SCAFFOLDS = ("sweagent", "minisweagent", "openhands")
HEAVY = ("jinja2", "litellm", "matplotlib", "numpy", "plotly", "polars", "rich", "scipy", "tiktoken", "toktok", "typer")

# What the command line needs is not imported by the rest.
FRONT = ("context_strategies.cli", "context_strategies.compare")
# A strategy decides on values. What does I/O or stands on a strategy is not its business.
VALUES = ("history.py", "context.py", "refresh.py", "tokens.py", "prices.py", "strategies")
ABOVE = ("session", "replay", "trajectories", "compare", "cli")


def module_name(path: Path) -> str:
    parts = path.relative_to(CORE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def loaded_after(*modules: str) -> set[str]:
    """Return the top-level modules a fresh interpreter holds once it has imported these."""
    code = "import importlib, sys; [importlib.import_module(m) for m in sys.argv[1:]]; print(*sys.modules)"
    command = [sys.executable, "-c", code, *modules]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return {name.split(".")[0] for name in done.stdout.split()}


def imports(path: Path) -> Iterator[str]:
    """Yield every module a file names in an import, lazy ones as well."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), level=0, names=names):
                yield module
                yield from (f"{module}.{alias.name}" for alias in names)


def under(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert not loaded_after("context_strategies") & set(HEAVY)


def test_importing_all_of_the_core_loads_no_scaffold_plugin_or_litellm() -> None:
    modules = [name for name in map(module_name, sorted(CORE.rglob("*.py"))) if not under(name, FRONT)]
    assert not loaded_after(*modules) & {"litellm", "typer", *PLUGINS, *SCAFFOLDS}


@pytest.mark.parametrize("path", sorted(CORE.rglob("*.py")), ids=module_name)
def test_core_file_names_no_scaffold_or_plugin(path: Path) -> None:
    assert not [name for name in imports(path) if under(name, PLUGINS + SCAFFOLDS)]


@pytest.mark.parametrize("part", VALUES)
def test_values_do_not_look_up(part: str) -> None:
    above = tuple(f"context_strategies.{name}" for name in ABOVE)
    paths = [path for path in CORE.rglob("*.py") if path.relative_to(CORE).parts[0] == part]
    assert not [(path.name, name) for path in paths for name in imports(path) if under(name, above)]


def declared(*, extras: tuple[str, ...], groups: tuple[str, ...]) -> list[Requirement]:
    data = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lines: list[str] = list(data["project"]["dependencies"])
    lines += [line for extra in extras for line in data["project"]["optional-dependencies"][extra]]
    lines += [line for group in groups for line in data["dependency-groups"][group]]
    return [Requirement(line) for line in lines]


@pytest.mark.parametrize(
    ("pins", "extras", "groups"),
    [
        ("core.txt", ("compare",), ("build",)),
        ("v1.txt", ("compare", "litellm", "openhands"), ("build", "hosts", "lint", "test")),
        ("v0.txt", ("openhands-v0",), ("build", "test")),
        ("model.txt", (), ("build", "model", "test")),
    ],
)
def test_each_declared_dependency_is_pinned(pins: str, extras: tuple[str, ...], groups: tuple[str, ...]) -> None:
    lines = (ROOT / "constraints" / pins).read_text(encoding="utf-8").splitlines()
    pinned = {
        canonicalize_name(name): version.split()[0]
        for name, _, version in (x.partition("==") for x in lines)
        if version
    }
    for wanted in declared(extras=extras, groups=groups):
        version = pinned.get(canonicalize_name(wanted.name))
        assert version is not None, f"{wanted.name} is not in constraints/{pins}: make lock"
        assert wanted.specifier.contains(version, prereleases=True), f"{wanted} against {version}: make lock"


@pytest.mark.parametrize("path", sorted((ROOT / "constraints").glob("*.txt")), ids=lambda path: path.name)
def test_pins_name_versions_and_no_place(path: Path) -> None:
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert lines
    assert not [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[\w.+!]+( ; [^/@]+)?", line)]
