"""An agent loop's messages, as plain chat messages."""

import copy
from typing import Any

OUTPUT = "a line of output\n" * 40


def call(call_id: str, command: str, text: str | None = None) -> dict[str, Any]:
    function = {"name": "bash", "arguments": f'{{"command": "{command}"}}'}
    calls = [{"id": call_id, "type": "function", "function": function}]
    return {"role": "assistant", "content": text, "tool_calls": calls}


def answer(call_id: str, content: Any = OUTPUT) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


HEAD = [{"role": "system", "content": "You fix bugs."}, {"role": "user", "content": "Fix it."}]


def loop(turns: int) -> list[dict[str, Any]]:
    messages = copy.deepcopy(HEAD)
    for n in range(turns):
        messages += [call(f"call_{n}", f"cat {n}.py"), answer(f"call_{n}")]
    return messages
