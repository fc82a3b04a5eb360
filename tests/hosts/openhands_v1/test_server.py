"""The agent-server over HTTP: a condenser as JSON, known by ``--import-modules``."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
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


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "openhands.agent_server", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--import-modules", "openhands_plugin.v1"]
    path = os.pathsep.join([str(ROOT / "shared"), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": path, "OH_ENABLE_VSCODE": "false", "OH_ENABLE_VNC": "false"}
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=log)
        url = f"http://127.0.0.1:{port}"
        try:
            for _ in range(120):
                try:
                    fetch(f"{url}/health")
                    break
                except (urllib.error.URLError, ConnectionError):
                    assert process.poll() is None, (tmp_path / "log").read_text()[-2_000:]
                    time.sleep(0.5)
            yield url
        finally:
            process.terminate()
            process.wait(timeout=30)


def wait_for_end(url: str, seconds: float = 90) -> dict[str, Any]:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        state: dict[str, Any] = fetch(url)
        if state["execution_status"] in {"finished", "error", "stuck"}:
            return state
        time.sleep(0.3)
    raise AssertionError("the run did not end in time")


def test_a_condenser_in_json_runs_in_the_agent_server(server: str, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    with ScriptedModel(steps(14), summaries=[say("Counted.")]) as model:
        llm = {**model_of(model).model_dump(mode="json"), "api_key": "none"}
        body = {
            "agent": {
                "kind": "Agent",
                "llm": llm,
                "tools": [{"name": "terminal", "params": {"terminal_type": "subprocess"}}],
                "condenser": {
                    "kind": "RollingSummaryCondenser",
                    "every": 4,
                    "buffer": 2,
                    "llm": {**llm, "usage_id": "condenser"},
                },
            },
            "workspace": {"kind": "LocalWorkspace", "working_dir": str(tmp_path / "work")},
            "initial_message": {"content": [{"type": "text", "text": "TASK-ID: count\nCount for me."}], "run": True},
        }
        made = fetch(f"{server}/api/conversations", body)
        state = wait_for_end(f"{server}/api/conversations/{made['id']}")
    assert state["execution_status"] == "finished"
    assert len([record for record in model.log if record.body.get("tools")]) in {14, 15}  # one answer may be a title
    assert [record.kind for record in model.log].count("summary") == 3
    assert state["stats"]["usage_to_metrics"]["condenser"]["accumulated_cost"] > 0


def test_a_bad_field_is_refused_by_name(server: str, tmp_path: Path) -> None:
    body = {
        "agent": {"kind": "Agent", "llm": {"model": "x"}, "condenser": {"kind": "MaskingCondenser", "windw": 5}},
        "workspace": {"kind": "LocalWorkspace", "working_dir": str(tmp_path)},
    }
    with pytest.raises(urllib.error.HTTPError) as refused:
        fetch(f"{server}/api/conversations", body)
    assert refused.value.code == 422
    assert "windw" in refused.value.read().decode()
