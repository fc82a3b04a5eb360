"""The real command line, started by the launcher, in throw-away copies of the file system.

A run writes its tools and its state to fixed places: each worker's environment is a server of its own in such a copy.
"""

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from context_strategies.testing import ScriptedModel, Step, run

ROOT = Path(__file__).resolve().parents[3]
CONFIGS = ROOT / "configs" / "swe_agent"
SANDBOX = str(Path(__file__).with_name("sandbox.sh"))

needs_root = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("unshare"),
    reason="throw-away copies of the file system need root and unshare",
)

Server = dict[str, Any]
Cli = Callable[..., subprocess.CompletedProcess[str]]


def script(count: int, text: str) -> list[Step]:
    shown = [run(f"for i in $(seq 60); do echo {text} {n} $i; done", f"I look at {n}.") for n in range(count - 1)]
    return [*shown, run("cd /repo && echo 2 > a.txt"), run("submit")]


@pytest.fixture
def servers(python: str, tmp_path: Path) -> Iterator[Callable[[], Server]]:
    """Return what starts one environment: a server in a copy of the file system that has a repository at /repo."""
    with ExitStack() as stack:

        def start() -> Server:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
            base = tmp_path / f"copy{port}"
            base.mkdir()
            token = secrets.token_hex(8)
            rex = Path(python).parent / "swerex-remote"
            commit = "git -c user.name=a -c user.email=a commit -qm 1"
            repo = f"mkdir /repo && cd /repo && git init -q && echo 1 > a.txt && git add -A && {commit}"
            command = f"{repo} && exec {rex} --host 127.0.0.1 --port {port} --auth-token {token}"
            sandbox = ["unshare", "--mount", "--propagation", "private", "sh", SANDBOX, str(base)]
            process = stack.enter_context(
                subprocess.Popen([*sandbox, "sh", "-c", command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            )
            stack.callback(process.kill)
            _wait_for(port)
            return {"type": "remote", "host": "http://127.0.0.1", "port": port, "auth_token": token}

        yield start


def _wait_for(port: int) -> None:
    for _ in range(300):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    pytest.fail("the environment's server did not start")


@pytest.fixture
def cli(python: str, environment: dict[str, str], tmp_path: Path) -> Cli:
    """Return what starts the launcher with arguments."""

    def start(*arguments: str, module: str = "swe_agent_plugin", **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [python, "-m", module, *arguments],
            env={**environment, **more},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return start


def config(url: str) -> dict[str, Any]:
    return {
        "agent": {
            "model": {"name": "openai/gpt-4o", "api_base": url, "api_key": "none", "retry": {"retries": 1}},
            "templates": {
                "system_template": "You fix bugs.",
                "instance_template": "{{problem_statement}}",
                "next_step_template": "OBSERVATION:\n{{observation}}",
                "next_step_no_output_template": "No output.",
            },
            "tools": {
                "bundles": [{"path": "tools/registry"}, {"path": "tools/submit"}],
                "parse_function": {"type": "function_calling"},
            },
        }
    }


def write(path: Path, content: object) -> str:
    path.write_text(yaml.safe_dump(content))
    return str(path)


@needs_root
def test_run_then_replay(cli: Cli, servers: Callable[[], Server], tmp_path: Path) -> None:
    chain = [{"type": "hybrid", "window": 1, "every": 3, "refresh": 1}, {"type": "cache_control"}]
    with ScriptedModel(script(8, "one")) as model:
        arguments = [
            f"--config={write(tmp_path / 'base.yaml', config(model.url))}",
            f"--config={write(tmp_path / 'ours.yaml', {'agent': {'history_processors': chain}})}",
            f"--env.deployment={json.dumps(servers())}",
            '--env.repo={"type": "preexisting", "repo_name": "repo"}',
            "--problem_statement.text=Fix it.",
            "--problem_statement.id=one",
        ]
        done = cli("run", *arguments, f"--output_dir={tmp_path / 'out'}")
        assert done.returncode == 0, done.stdout[-3_000:] + done.stderr[-3_000:]
        calls = len(model.log)
        assert {record.status for record in model.log} == {200}
    written = tmp_path / "out" / "one"
    trajectory = json.loads((written / "one.traj").read_text())
    assert trajectory["info"]["exit_status"] == "submitted"
    assert "+2" in trajectory["info"]["submission"]
    assert trajectory["info"]["model_stats"]["api_calls"] == calls == 9 + 2
    events = [json.loads(line) for line in (written / "one.context.jsonl").read_text().splitlines()]
    assert [event["by"] for event in events if event["event"] == "condensed"] == ["openai/gpt-4o"] * 2

    replayed = cli(
        "run-replay",
        f"--traj_path={written / 'one.traj'}",
        f"--deployment={json.dumps(servers())}",
        f"--output_dir={tmp_path / 'again'}",
    )
    assert replayed.returncode == 0, replayed.stdout[-3_000:] + replayed.stderr[-3_000:]
    again = [json.loads(line) for line in next((tmp_path / "again").rglob("*.context.jsonl")).read_text().splitlines()]
    assert {event["by"] for event in again if event["event"] == "condensed"} == {"extractive"}
    assert cli("quick-stats", str(tmp_path / "out")).returncode == 0


@needs_root
def test_two_workers_never_share_a_summary(cli: Cli, servers: Callable[[], Server], tmp_path: Path) -> None:
    names = ("one", "two")
    instances = [
        {
            "env": {"deployment": servers(), "repo": {"type": "preexisting", "repo_name": "repo"}},
            "problem_statement": {"type": "text", "text": f"Fix it. TASK-ID: {name}", "id": name},
        }
        for name in names
    ]
    with ScriptedModel({name: script(8, f"word{name}") for name in names}) as model:
        chain = [{"type": "llm_summary", "window": 1, "every": 3}, {"type": "cache_control"}]
        done = cli(
            "run-batch",
            f"--config={write(tmp_path / 'base.yaml', config(model.url))}",
            f"--config={write(tmp_path / 'ours.yaml', {'agent': {'history_processors': chain}})}",
            "--instances.type=expert_file",
            f"--instances.path={write(tmp_path / 'instances.yaml', instances)}",
            f"--output_dir={tmp_path / 'out'}",
            "--num_workers=2",
        )
        assert done.returncode == 0, done.stdout[-3_000:] + done.stderr[-3_000:]
        log = list(model.log)
    assert {record.status for record in log} == {200}
    total = 0
    for name, other in (names, names[::-1]):
        asked = [record for record in log if record.conversation == name]
        assert [record.kind for record in asked].count("summary") == 2
        assert not [record for record in asked if f"word{other}" in str(record.messages)]
        info = json.loads((tmp_path / "out" / name / f"{name}.traj").read_text())["info"]
        assert info["exit_status"] == "submitted"
        total += int(info["model_stats"]["api_calls"])
        assert (tmp_path / "out" / name / f"{name}.context.jsonl").is_file()
    assert total == len(log)
    report = yaml.safe_load((tmp_path / "out" / "run_batch_exit_statuses.yaml").read_text())
    assert report["total_cost"] > 0


def test_the_types_are_taken_wherever_sweagent_takes_its_own(cli: Cli, tmp_path: Path) -> None:
    chain = [{"type": "masking", "window": 3}, {"type": "cache_control", "last_n_messages": 2}]
    as_json = json.dumps(chain)
    model = "--agent.model.name=gpt-4o"
    written = write(tmp_path / "ours.yaml", {"agent": {"history_processors": chain}})
    for arguments, more in (
        ([f"--config={written}"], {}),
        (["--no_config_file", f"--agent.history_processors={as_json}"], {}),
        (["--no_config_file"], {"SWE_AGENT_AGENT": json.dumps({"history_processors": chain})}),
    ):
        done = cli("run", "--print_config", model, *arguments, **more)
        assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
        printed = re.split(r"^  history_processors:\n", done.stdout, flags=re.MULTILINE)[1]
        first = yaml.safe_load(re.split(r"^  \w", printed, flags=re.MULTILINE)[0])[0]
        assert (first["type"], first["window"], first["keep_tags"]) == ("masking", 3, ["keep_output"])


def test_a_wrong_field_ends_the_command_in_one_line(cli: Cli) -> None:
    done = cli(
        "run", "--no_config_file", "--agent.model.name=gpt-4o", '--agent.history_processors=[{"type":"masking","a":1}]'
    )
    assert done.returncode == 1
    assert 'history_processors: strategy masking has no field "a"; valid fields: ' in done.stderr
    assert "Traceback" not in done.stderr


def test_help_of_one_type(cli: Cli) -> None:
    done = cli("run", "--help_option", "swe_agent_plugin.processors.masking")
    assert done.returncode == 0
    assert "\nwindow: int\n" in done.stdout


def test_shipped_configs_are_overlays_of_the_default(cli: Cli, python: str) -> None:
    find = "import sweagent; print(sweagent.CONFIG_DIR / 'default.yaml')"
    default = subprocess.run([python, "-c", find], capture_output=True, text=True, check=True).stdout.splitlines()[-1]
    for path in sorted(CONFIGS.glob("*.yaml")):
        done = cli("run", "--print_config", "--agent.model.name=gpt-4o", f"--config={default}", f"--config={path}")
        assert done.returncode == 0, done.stdout[-2_000:]
