"""What a mini-swe-agent run costs under each strategy, with a scripted model: no key, no network.

    .venv/bin/python benchmarks/mini_cost.py

The real agent and its own `mini.yaml`, 40 steps, the same commands and outputs as in `sweagent_cost.py`. The requests
as they arrived, summary calls included, are priced by the rules of explicit cache marks, as there: write 1.25, read 0.1
of the input price, an earlier entry found up to 20 blocks before a mark.
"""

import logging
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ["MSWEA_SILENT_STARTUP"] = "1"
FOLDER = tempfile.TemporaryDirectory()
os.environ["MSWEA_GLOBAL_CONFIG_DIR"] = FOLDER.name

from minisweagent.agents.default import DefaultAgent  # noqa: E402
from minisweagent.config import get_config_from_spec  # noqa: E402
from minisweagent.exceptions import Submitted  # noqa: E402
from minisweagent.models import get_model  # noqa: E402
from sweagent_cost import SUMMARY, by_marks, steps  # noqa: E402 - the other benchmark, beside this one

from context_strategies.testing import Record, ScriptedModel  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
OURS = "mini_swe_agent_plugin.ContextModel"
ENTRY = {
    "litellm_provider": "anthropic",
    "mode": "chat",
    "max_input_tokens": 200_000,
    "input_cost_per_token": 3e-6,
    "output_cost_per_token": 15e-6,
    "cache_read_input_token_cost": 0.3e-6,
    "cache_creation_input_token_cost": 3.75e-6,
}

Settings = Mapping[str, Any]


class Environment:
    """What an agent asks of its environment, without one: ``show N LINES`` prints made-up lines, ``submit`` submits."""

    config = None

    def execute(self, action: Mapping[str, Any]) -> dict[str, Any]:
        """The output of a command, which is not run."""
        if action["command"] == "submit":
            raise Submitted({"role": "exit", "content": "", "extra": {"exit_status": "Submitted", "submission": ""}})
        number, lines = action["command"].split()[1:]
        output = "\n".join(f"{number}:{line} value = compute(item, index={line})" for line in range(int(lines)))
        return {"output": output, "returncode": 0, "exception_info": ""}

    def get_template_vars(self, **_: Any) -> dict[str, Any]:
        """What the templates name."""
        return {"system": "Linux", "release": "6", "version": "1", "machine": "x86_64"}

    def serialize(self) -> dict[str, Any]:
        """Nothing to save."""
        return {}


def requests(settings: Settings) -> Sequence[Record]:
    """The requests of one run with a model of these settings."""
    config = get_config_from_spec("mini.yaml")
    with ScriptedModel(steps(40, 300), summaries=[SUMMARY]) as server:
        kwargs = {"api_base": server.url, "api_key": "none"}
        own = {"model_name": "openai/claude-scripted", "cost_tracking": "ignore_errors", "model_kwargs": kwargs}
        model = get_model(config={**config["model"], **own, **settings})
        agent = {name: value for name, value in config["agent"].items() if name != "mode"}
        run = DefaultAgent(model, Environment(), **{**agent, "cost_limit": 0})
        run.run("Fix it.")
        info = run.serialize()["info"]
        if info["exit_status"] != "Submitted" or info.get("context", {}).get("fallbacks"):
            sys.exit(f"unexpected: {info}")
        return server.log


def shipped(name: str) -> Settings:
    """One of our configs."""
    settings: Settings = yaml.safe_load((ROOT / "configs" / "mini_swe_agent" / f"{name}.yaml").read_text())["model"]
    return settings


def main() -> None:
    """Print the table."""
    import litellm  # noqa: PLC0415 - mini-swe-agent's, and loaded by now

    litellm.register_model({"openai/claude-scripted": ENTRY})
    rows: dict[str, Settings] = {
        "mini-swe-agent alone": {},
        "`raw`": {"model_class": OURS, "context": "raw"},
        "`masking_paper.yaml`": shipped("masking_paper"),
        "`masking` (window 10, break-even)": {"model_class": OURS, "context": "masking"},
        "`recommended.yaml`": shipped("recommended"),
        "`hybrid` (window 10, every 43, break-even)": {"model_class": OURS, "context": "hybrid"},
        "`hybrid:every=15`": {"model_class": OURS, "context": "hybrid:every=15"},
    }
    print("| 40 steps, explicit marks | requests | sent, characters | input, characters | of raw |")
    print("|---|---|---|---|---|")
    base = 0.0
    for name, settings in rows.items():
        log = requests(settings)
        cost = by_marks(log)
        base = base or cost
        size = sum(record.characters for record in log)
        print(f"| {name} | {len(log)} | {size:,} | {cost:,.0f} | {cost / base:.2f} |", flush=True)


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    main()
