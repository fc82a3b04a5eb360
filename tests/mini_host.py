"""Real agents of mini-swe-agent with a scripted model, in the test's process; tests skip where it is not installed."""

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

# It prints a banner and makes its configuration folder when it is imported.
os.environ.setdefault("MSWEA_SILENT_STARTUP", "1")
os.environ.setdefault("MSWEA_GLOBAL_CONFIG_DIR", str(Path(tempfile.gettempdir()) / "context-strategies-mini"))
os.environ.setdefault("MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT", "1")
pytest.importorskip("minisweagent", reason="mini-swe-agent is not in this environment")

from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models import get_model
from minisweagent.models.litellm_model import LitellmModel

from context_strategies import Context, History, Settings, State
from context_strategies.testing import Record, ScriptedModel, Step, run
from context_strategies.usage import usage_of

SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
TEXT = "litellm_textbased"
FENCE = "mswea_bash_command"
PRICED = "openai/gpt-4o"
MARKED = "openai/claude-scripted"
"""A name that mini-swe-agent sets cache marks for."""


class Broken(Settings):
    """A strategy that raises once the conversation has begun."""

    type: Literal["broken"] = "broken"

    def step(self, state: State, history: History, terms: Any) -> State:
        raise RuntimeError("it broke")

    def render(self, state: State, history: History) -> Context:
        raise RuntimeError("it broke, too")


class OwnModel(LitellmModel):
    """A model class of a user's own, of which nothing is known but that it is one."""


def script(count: int, lines: int = 40) -> list[Step]:
    """Steps that print so many lines each, and submit."""
    return [run(f"seq -f '{n}:%g value = compute(item)' 1 {lines}", f"I look at {n}.") for n in range(count - 1)] + [
        run(SUBMIT)
    ]


def model_of(server: ScriptedModel, context: object, *, name: str = PRICED, **settings: Any) -> Any:
    """A model as a user's YAML makes it; mini-swe-agent's own without a ``context``."""
    kwargs = {"api_base": server.url, "api_key": "none", **settings.pop("model_kwargs", {})}
    tracking = "default" if name == PRICED else "ignore_errors"
    config = {"model_name": name, "model_kwargs": kwargs, "cost_tracking": tracking, **settings}
    if context:
        config |= {"model_class": "mini_swe_agent_plugin.ContextModel", "context": context}
    elif "inner_class" in config:
        config["model_class"] = config.pop("inner_class")
    return get_model(config=config)


def agent_of(model: Any, folder: Path, **settings: Any) -> Any:
    """An agent that saves its trajectory as ``run.traj.json``."""
    made: Any = DefaultAgent
    return made(
        model,
        LocalEnvironment(cwd=str(folder)),
        system_template="You fix bugs.",
        instance_template="{{task}}",
        **{"output_path": folder / "run.traj.json", "cost_limit": 0, **settings},
    )


def trajectory(folder: Path) -> dict[str, Any]:
    """What was saved."""
    content: dict[str, Any] = json.loads((folder / "run.traj.json").read_text())
    return content


def events(folder: Path) -> list[dict[str, Any]]:
    """What was recorded beside it."""
    return [json.loads(line) for line in (folder / "run.context.jsonl").read_text().splitlines()]


def sent(server: ScriptedModel, kind: str = "agent") -> list[Record]:
    """The requests of one kind."""
    return [record for record in server.log if record.kind == kind]


def cost_of(log: Sequence[Record]) -> float:
    """US dollars at the prices of :data:`PRICED`, by the server's usage records."""
    from context_strategies.catalogue import prices_of

    usages = [usage_of(record.response["usage"]) for record in log]
    return sum(prices_of(PRICED).price(usage) for usage in usages if usage)
