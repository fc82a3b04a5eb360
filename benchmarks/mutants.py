"""Mutation testing of what decides and what bills: context.py, refresh.py and prices.py.

    make mutants

mutmut changes one thing at a time and runs the tests: a mutant that survives is a change no test notices.
docs/testing.md lists those and judges them. mutmut wants a package's folder to be named as it is imported, so this
works on a copy.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "context_strategies"
MODULES = ("prices", "refresh", "context")
TESTS = (*MODULES, "cache", "measure")
SETTINGS = f"""
[tool.mutmut]
source_paths = ["{PACKAGE}"]
only_mutate = {[f"{PACKAGE}/{name}.py" for name in MODULES]}
also_copy = ["tests", "swe_agent_plugin", "openhands_plugin", "mini_swe_agent_plugin"]
pytest_add_cli_args_test_selection = {[f"tests/test_{name}.py" for name in TESTS]}
"""


def main() -> None:
    """Print the mutants that survive, each as the lines it changes."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("tests", "swe_agent_plugin", "openhands_plugin", "mini_swe_agent_plugin"):
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(ROOT / "shared" / PACKAGE, copy / PACKAGE, ignore=shutil.ignore_patterns("__pycache__"))
        settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        (copy / "pyproject.toml").write_text(settings + SETTINGS, encoding="utf-8")
        run = [sys.executable, "-m", "mutmut"]
        done = subprocess.run([*run, "run"], cwd=copy, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stdout[-2_000:] + done.stderr)
        print(*[line for line in done.stdout.replace("\r", "\n").splitlines() if "🎉" in line][-1:])
        left = subprocess.run([*run, "results"], cwd=copy, capture_output=True, text=True, check=True).stdout
        for line in left.splitlines():
            name, _, verdict = line.strip().partition(": ")
            print(f"\n{name}: {verdict}")
            shown = subprocess.run([*run, "show", name], cwd=copy, capture_output=True, text=True, check=True).stdout
            print("\n".join(part for part in shown.splitlines() if part[:1] in "+-" and part[:3] not in {"+++", "---"}))


if __name__ == "__main__":
    main()
