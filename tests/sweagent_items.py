"""History items as SWE-agent writes them."""

import json
from typing import Any

Item = dict[str, Any]

LONG = "a line of output\n" * 40


def item(role: str, content: Any, message_type: str, **more: Any) -> Item:
    return {"role": role, "content": content, "agent": "main", "message_type": message_type, **more}


def start() -> list[Item]:
    demo = item("user", "A demonstration: " + LONG, "demonstration", is_demo=True)
    return [item("system", "You fix bugs.", "system_prompt"), demo, item("user", "Fix a.py.", "observation")]


def called(number: int, output: Any = LONG, **more: Any) -> list[Item]:
    """One turn of function calling; ``more`` goes on its action."""
    function = {"name": "bash", "arguments": json.dumps({"command": f"cat {number}.py"})}
    call = {"id": f"c{number}", "type": "function", "function": function}
    action = item("assistant", f"I read {number}.", "action", thought="", action=f"cat {number}.py", tool_calls=[call])
    return [{**action, **more}, item("tool", output, "observation", tool_call_ids=[f"c{number}"])]


def acted(number: int, output: Any = LONG) -> list[Item]:
    """One turn of thoughts and actions as text."""
    text = f"I read {number}.\n```\ncat {number}.py\n```"
    action = item("assistant", text, "action", thought="", action=f"cat {number}.py", tool_calls=None)
    return [action, item("user", output, "observation")]


def turns(count: int) -> list[Item]:
    return [entry for number in range(1, count + 1) for entry in called(number)]
