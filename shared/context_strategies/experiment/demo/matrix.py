"""The demo's experiment: which scaffolds are here, and the file that says what is run."""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml

from context_strategies.experiment.cells import Cell
from context_strategies.experiment.demo import repository

STRATEGIES = ("raw", "masking:refresh=1", "masking", "llm_summary", "hybrid", "rolling_summary")
PRICED = frozenset({"raw", "masking", "hybrid"})
"""Run once a model: what decides by its prices, and the raw agent beside it. The others are run once in all."""

MODELS = ("openai/gpt-4.1-mini", "openai/gpt-5-mini", "openai/claude-sonnet-4-5")
"""Their caches read at 0.25, at 0.1, and at 0.1 with writes at 1.25 of the input price. The scripted server speaks
OpenAI's interface, which is the first part of each name."""

PARALLEL = 3
"""Cells wait for their shells a third of their time."""

FILE = "experiment.yaml"
HEADER = "# Written by `context-strategies demo`, which makes all that is in this folder anew.\n"
"""The file's first line: an experiment of one's own may have files and results of the same names."""

SECONDS = 600
NEEDED = {"mini": ("minisweagent", "mini_swe_agent_plugin"), "openhands_v1": ("openhands.sdk", "openhands.tools")}
SANDBOX = Path(__file__).with_name("sandbox.sh")

VARIABLES = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "OPENAI_API_KEY": "none"}

SWEAGENT = {
    "agent": {
        "templates": {
            "system_template": "You are a helpful assistant that can interact with a computer to solve tasks.",
            "instance_template": "The current folder is a repository. {{problem_statement}}",
            "next_step_template": "OBSERVATION:\n{{observation}}",
            "next_step_no_output_template": "Your command ran successfully and did not produce any output.",
        },
        "tools": {
            "bundles": [{"path": "tools/registry"}, {"path": "tools/submit"}],
            "parse_function": {"type": "function_calling"},
        },
    }
}
"""SWE-agent with the tools that install without a network."""


def write(out: Path, api_base: str, sweagent: str) -> tuple[Path, list[str]]:
    """Write the repository and the experiment into the folder ``out``: the experiment's file, and which scaffolds are
    left out and why.
    """
    scaffolds, missing = scaffolds_here(out, sweagent)
    repository.write(out / "shop")
    plan = {
        "scaffolds": scaffolds,
        "strategies": list(STRATEGIES),
        "models": [{"name": name, "api_base": api_base} for name in MODELS],
        "instances": [{"id": "shop", "folder": "shop", "task": f"{repository.TASK}\n\nTASK-ID: {{cell}}"}],
        "out": "runs",
        "cell_budget": 0,
        "parallel": PARALLEL,
        "timeout": SECONDS,
    }
    path = out / FILE
    path.write_text(HEADER + yaml.safe_dump(plan, sort_keys=False, width=120), encoding="utf-8")
    return path, missing


def is_own(out: Path) -> bool:
    """Whether the folder ``out`` is the demo's to write anew: it made it, or there is nothing in it; raises OSError."""
    if (out / FILE).is_file():
        return (out / FILE).read_bytes().startswith(HEADER.encode())
    return not out.exists() or not any(out.iterdir())


def is_run(cell: Cell) -> bool:
    """Whether the demo runs ``cell``, or another that sends the same requests."""
    return cell.model.name == MODELS[0] or cell.strategy in PRICED


def scaffolds_here(out: Path, sweagent: str) -> tuple[dict[str, Any], list[str]]:
    """How the scaffolds that there are here are started, by name; and which are not, and why.

    What SWE-agent reads is written into the folder ``out``, which is all of this machine that it can change.
    """
    found: dict[str, Any] = {}
    missing = []
    for name, modules in NEEDED.items():
        absent = [module for module in modules if not _is_there(module)]
        if absent:
            missing.append(f"{name}: {absent[0]} is not installed in this environment")
        else:
            found[name] = {"environment": VARIABLES}
    if not sweagent:
        missing.append("sweagent: the variable SWEAGENT_PYTHON names no interpreter that has SWE-agent")
    elif os.geteuid() != 0 or shutil.which("unshare") is None:
        missing.append("sweagent: without docker it needs a throw-away copy of the file system: root and unshare")
    else:
        found["sweagent"] = _sweagent(out, sweagent)
    return found, missing


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package it would be in
        return False


def _sweagent(out: Path, python: str) -> dict[str, Any]:
    """SWE-agent in a copy of the file system, since its tools and its state go to fixed places."""
    config = out / "sweagent.yaml"
    config.write_text(yaml.safe_dump(SWEAGENT, sort_keys=False, width=120), encoding="utf-8")
    return {
        "python": python,
        "arguments": [f"--config={config}", "--env.deployment.type=local"],
        "wrapper": ["unshare", "--mount", "--propagation", "private", "sh", str(SANDBOX), str(out)],
        "environment": {**VARIABLES, **_checkout()},
    }


def _checkout() -> dict[str, str]:
    """Where SWE-agent's environment finds this project if it is run from a checkout; else it must have it installed."""
    specs = [find_spec(name) for name in ("context_strategies", "swe_agent_plugin")]
    places = [str(Path(spec.origin).parents[1]) for spec in specs if spec and spec.origin]
    return {} if any("site-packages" in place for place in places) else {"PYTHONPATH": os.pathsep.join(places)}
