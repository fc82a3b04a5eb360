"""Make the example recordings again, with ``python examples/record.py --out DIR``.

Two scaffolds mend the small ``ledger`` package, each twice, with a scripted model on this machine: no key, no network.
Needs mini-swe-agent, openhands-sdk, openhands-tools, git and pytest. What the recordings hold of this machine (names of
hosts and users, paths, addresses) is replaced, and what was missed is an error.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import plan

from context_strategies.testing import ScriptedModel, Step

WORKSPACE = Path("/tmp/ledger")  # noqa: S108 - the recordings show it, so it has to be the same on every machine
LEDGER = Path(__file__).parent / "ledger"
MODELS = {"mini": "openai/gpt-5-mini", "openhands": "openai/gpt-4.1-mini"}
SECONDS = 120

FIELDS = {"hostname": "example", "username": "user", "py_interpreter_path": "/usr/bin/python"}
"""What stands for the fields of a terminal's prompt."""


def main() -> None:
    """Record all four runs."""
    parser = argparse.ArgumentParser(description="Make the example recordings again.")
    parser.add_argument("--out", type=Path, required=True, help="folder to write them to")
    out = parser.parse_args().out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    machine = {
        sys.prefix: "/usr",
        str(Path.home()): "/home/user",
        str(Path(__file__).resolve().parents[1]): "/example",
    }
    with tempfile.TemporaryDirectory() as home:
        machine[home] = "/home/user"
        _settle(home)
        for name, format_error in (("mini-tools", False), ("mini-text", True)):
            _record_mini(out / f"{name}.traj.json", format_error=format_error)
            _neutralise(out / f"{name}.traj.json", machine)
        for name, in_parallel in (("openhands-plain", False), ("openhands-parallel", True)):
            folder = _record_openhands(out / name, in_parallel=in_parallel)
            for path in (folder / "base_state.json", *sorted((folder / "events").glob("*.json"))):
                _neutralise(path, machine)


def _settle(home: str) -> None:
    """Leave in the environment only what the runs need, before a scaffold reads it."""
    path = os.pathsep.join([str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"])
    os.environ.clear()
    os.environ.update(
        HOME=home,
        TMPDIR=home,
        USER="user",
        LOGNAME="user",
        PATH=path,
        LANG="C.UTF-8",
        PYTHONDONTWRITEBYTECODE="1",
        PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
        GIT_PAGER="cat",
        LITELLM_LOCAL_MODEL_COST_MAP="True",
        MSWEA_SILENT_STARTUP="1",
        OPENHANDS_SUPPRESS_BANNER="1",
        OPENAI_API_KEY="example",
    )


@contextmanager
def _workspace() -> Iterator[None]:
    """A fresh repository of the ledger package, there while the block runs."""
    shutil.copytree(LEDGER, WORKSPACE)
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    try:
        for command in (["init", "-q"], ["add", "."], [*identity, "commit", "-q", "-m", "Ledger 0.3.1"]):
            subprocess.run(["git", *command], cwd=WORKSPACE, check=True)  # noqa: S603, S607 - our own words, the user's git
        yield
    finally:
        shutil.rmtree(WORKSPACE)


@contextmanager
def _model(script: Sequence[Step]) -> Iterator[None]:
    """The scripted model, where a client of OpenAI's looks for it."""
    with ScriptedModel(script, fence="mswea_bash_command", seconds=SECONDS) as model:
        os.environ["OPENAI_BASE_URL"] = model.url
        yield


def _record_mini(path: Path, *, format_error: bool) -> None:
    import yaml
    from minisweagent.agents.default import DefaultAgent
    from minisweagent.config import get_config_path
    from minisweagent.environments.local import LocalEnvironment
    from minisweagent.models import get_model

    text = format_error
    config = yaml.safe_load(get_config_path("mini_textbased" if text else "mini").read_text())
    agent = {key: value for key, value in config["agent"].items() if key != "mode"}
    task = agent["instance_template"].replace("{{system}} {{release}} {{version}} {{machine}}", "Linux")
    model_class = "litellm_textbased" if text else "litellm"
    with _workspace(), _model(plan.for_mini(format_error=format_error)):
        model = get_model(MODELS["mini"], {**config["model"], "model_class": model_class})
        environment = LocalEnvironment(cwd=str(WORKSPACE), env=config["environment"]["env"])
        recorded = DefaultAgent(model, environment, **agent | {"instance_template": task})
        result = recorded.run(plan.TASK)
        recorded.save(path)
    if result["exit_status"] != "Submitted":
        raise SystemExit(f"{path.name}: ended with {result['exit_status']}")


def _record_openhands(folder: Path, *, in_parallel: bool) -> Path:
    from openhands.sdk import LLM, Agent, Conversation, Tool
    from openhands.tools.file_editor import FileEditorTool
    from openhands.tools.terminal import TerminalTool
    from pydantic import SecretStr

    kept = Path(os.environ["HOME"]) / folder.name
    with _workspace(), _model(plan.for_openhands(str(WORKSPACE), in_parallel=in_parallel)):
        llm = LLM(model=MODELS["openhands"], api_key=SecretStr("example"), usage_id="agent", api_mode="chat")
        tools = [Tool(name=TerminalTool.name, params={"terminal_type": "subprocess"}), Tool(name=FileEditorTool.name)]
        agent = Agent(llm=llm, tools=tools, condenser=None)
        conversation = Conversation(agent, workspace=str(WORKSPACE), persistence_dir=str(kept), visualizer=None)
        conversation.send_message(plan.TASK)
        conversation.run()
        status = conversation.state.execution_status.value
        conversation.close()
        if status != "finished":
            raise SystemExit(f"{folder.name}: ended with {status}")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(next(kept.iterdir()), folder, ignore=shutil.ignore_patterns(".eventlog*"))
    return folder


def _neutralise(path: Path, machine: dict[str, str]) -> None:
    """Replace what a recording holds of this machine; stop where something is left."""
    text = json.dumps(_neutral(json.loads(path.read_text()), machine), indent=1, ensure_ascii=False)
    left = [name for name in (*machine, "127.0.0.1") if machine.get(name) != name and name in text]
    if left:
        raise SystemExit(f"{path}: still holds {left}")
    path.write_text(text + "\n")


def _neutral(value: Any, machine: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: FIELDS[key] if key in FIELDS and part else _neutral(part, machine) for key, part in value.items()}
    if isinstance(value, list):
        return [_neutral(part, machine) for part in value]
    if isinstance(value, str):
        for name, neutral in machine.items():
            value = value.replace(name, neutral)
    return value


if __name__ == "__main__":
    main()
