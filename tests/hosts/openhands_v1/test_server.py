"""The agent-server over HTTP: a condenser as JSON, known by ``--import-modules``."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openhands.sdk", reason="the OpenHands SDK is not installed here")
if find_spec("openhands.agent_server") is None:
    pytest.skip("openhands-agent-server is not installed here", allow_module_level=True)

from context_strategies.testing import ScriptedModel, say
from openhands_v1_host import model_of, steps

ROOT = Path(__file__).resolve().parents[3]


def fetch(url: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})  # noqa: S310 - this machine's
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - likewise
        return json.load(answer)


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[str]:
    """The server, started in ``folder``: its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "openhands.agent_server", "--host", "127.0.0.1", "--port", str(port), *arguments]
    path = os.pathsep.join([str(ROOT / "shared"), str(ROOT)])
    switches = {"OH_ENABLE_VSCODE": "false", "OH_ENABLE_VNC": "false", "OH_SECRET_KEY": "a key to keep keys with"}
    environment = {**os.environ, **switches, "PYTHONPATH": path}
    with (folder / "log").open("a") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        url = f"http://127.0.0.1:{port}"
        try:
            for _ in range(120):
                try:
                    fetch(f"{url}/health")
                    break
                except (urllib.error.URLError, ConnectionError):
                    assert process.poll() is None, (folder / "log").read_text()[-2_000:]
                    time.sleep(0.5)
            yield url
        finally:
            process.terminate()
            process.wait(timeout=30)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    with serving(tmp_path, "--import-modules", "openhands_plugin.v1") as url:
        yield url


def conversation(llm: dict[str, Any], condenser: dict[str, Any], folder: Path) -> dict[str, Any]:
    """What to start one with."""
    folder.mkdir()
    tools = [{"name": "terminal", "params": {"terminal_type": "subprocess"}}]
    return {
        "agent": {"kind": "Agent", "llm": llm, "tools": tools, "condenser": condenser},
        "workspace": {"kind": "LocalWorkspace", "working_dir": str(folder)},
        "initial_message": {"content": [{"type": "text", "text": "TASK-ID: count\nCount for me."}], "run": True},
        "autotitle": False,
    }


def wait_for(condition: Callable[[], bool], seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.3)


def wait_for_end(url: str) -> dict[str, Any]:
    wait_for(lambda: fetch(url)["execution_status"] in {"finished", "error", "stuck"})
    state: dict[str, Any] = fetch(url)
    return state


def test_a_condenser_in_json_runs_in_the_agent_server(server: str, tmp_path: Path) -> None:
    with ScriptedModel(steps(14), summaries=[say("Counted.")]) as model:
        llm = {**model_of(model).model_dump(mode="json"), "api_key": "none"}
        own = {"every": 4, "buffer": 2, "llm": {**llm, "usage_id": "condenser"}}
        body = conversation(llm, {"kind": "RollingSummaryCondenser", **own}, tmp_path / "work")
        made = fetch(f"{server}/api/conversations", body)
        state = wait_for_end(f"{server}/api/conversations/{made['id']}")
    assert state["execution_status"] == "finished"
    assert [record.kind for record in model.log].count("agent") == 15
    assert [record.kind for record in model.log].count("summary") == 3
    assert state["stats"]["usage_to_metrics"]["condenser"]["accumulated_cost"] > 0


def test_a_conversation_goes_on_after_a_restart_and_waits_for_a_server_that_knows_its_condenser(
    tmp_path: Path,
) -> None:
    known = ["--import-modules", "openhands_plugin.v1"]
    condenser = {"kind": "MaskingCondenser", "window": 3, "refresh": 1, "events": "workspace/conversations"}
    with ScriptedModel([*steps(8)[:-1], say("Go on?"), *steps(1)]) as model:
        llm = {**model_of(model).model_dump(mode="json"), "api_key": "none"}
        with serving(tmp_path, *known) as url:
            made = fetch(f"{url}/api/conversations", conversation(llm, condenser, tmp_path / "work"))
            wait_for_end(f"{url}/api/conversations/{made['id']}")
        with serving(tmp_path) as url, pytest.raises(urllib.error.HTTPError) as refused:
            fetch(f"{url}/api/conversations/{made['id']}")
        with serving(tmp_path, *known) as url:
            place = f"{url}/api/conversations/{made['id']}"
            message = {"role": "user", "content": [{"type": "text", "text": "Go on."}], "run": True}
            fetch(f"{place}/events", message)
            wait_for(lambda: len(model.log) == 11)
            state = wait_for_end(place)
    assert "Unknown kind 'MaskingCondenser'" in refused.value.read().decode()
    assert state["execution_status"] == "finished"
    asked, resumed = model.log[8:10]
    assert str(asked.messages).count("[Output of") == 5
    assert resumed.messages[: len(asked.messages)] == asked.messages
    (kept,) = (tmp_path / "workspace" / "conversations").glob("*/context-strategies.jsonl")
    assert len(kept.read_text().splitlines()) == len(model.log)


def test_a_bad_field_is_refused_by_name(server: str, tmp_path: Path) -> None:
    body = {
        "agent": {"kind": "Agent", "llm": {"model": "x"}, "condenser": {"kind": "MaskingCondenser", "windw": 5}},
        "workspace": {"kind": "LocalWorkspace", "working_dir": str(tmp_path)},
    }
    with pytest.raises(urllib.error.HTTPError) as refused:
        fetch(f"{server}/api/conversations", body)
    assert refused.value.code == 422
    assert "windw" in refused.value.read().decode()
