import json
from pathlib import Path

import pytest

from context_strategies import choose
from context_strategies.summarizers import Extractive
from context_strategies.terms import Terms
from context_strategies.trajectories import mini
from mini_swe_agent_plugin.conversation import Conversation
from mini_swe_agent_plugin.ledger import Ledger
from mini_swe_agent_plugin.translate import Item, replaced

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["mini-tools", "mini-text"])
def test_a_run_is_to_its_model_what_it_is_to_the_reader(name: str) -> None:
    value = json.loads((ROOT / "examples" / "recordings" / f"{name}.traj.json").read_text())
    (trajectory,) = mini.parse(value, name)
    read = trajectory.history
    live = Conversation(choose("masking"), Terms(), Ledger(Extractive()))
    live.request(value["messages"][: len(read)])
    assert live._session.history.messages == read.messages
    assert (live._session.history.turns, live._session.history.tokens()) == (read.turns, read.tokens())


def test_replaced_content_keeps_its_shape() -> None:
    answer: Item = {"role": "tool", "content": "a.py", "tool_call_id": "a", "extra": {"returncode": 0}}
    assert replaced(answer, "x") == {**answer, "content": "x"}
    parts = [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "b"}}]
    assert replaced({"role": "user", "content": parts}, "x")["content"] == [{"type": "text", "text": "x"}]
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]}
    assert replaced(item, "x")["content"] == [{"type": "input_text", "text": "x"}]
    output = {"type": "function_call_output", "call_id": "c", "output": "a.py"}
    assert replaced(output, "[hidden]") == {**output, "output": "[hidden]"}
