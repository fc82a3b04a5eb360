"""What an observation is the output of, in one short line."""

import json
import re
from collections.abc import Mapping
from typing import Any

COMMAND_LENGTH = 80
ASIDE = frozenset({"is_input", "reset", "security_risk", "summary", "thought", "timeout"})
"""Arguments of scaffolds' tools that say nothing of what is run."""
FENCE = re.compile(r"```[^`\n]*\n(.*?)```", re.DOTALL)


def one_line(text: str, length: int = COMMAND_LENGTH) -> str:
    """``text`` on one line, white space folded, cut with an ellipsis above ``length`` characters."""
    folded = " ".join(text[: 4 * length].split())
    return folded if len(folded) <= length else folded[: length - 1] + "…"


def command_of(tool: str, arguments: str | Mapping[str, Any]) -> str:
    """A tool call in one short line: the command itself for a shell, otherwise the tool and its arguments' values.

    >>> command_of("bash", '{"command": "ls -la"}')
    'ls -la'
    >>> command_of("str_replace_editor", {"command": "view", "path": "/a.py"})
    'str_replace_editor view /a.py'
    """
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (RecursionError, ValueError):
            return one_line(f"{tool} {arguments}")
    if not isinstance(arguments, Mapping):
        return one_line(f"{tool} {arguments}")
    values = [str(v) for name, v in arguments.items() if isinstance(v, str | int | float) and name not in ASIDE]
    command = arguments.get("command", arguments.get("cmd"))
    if isinstance(command, str) and len(values) == 1:
        return one_line(command)
    return one_line(" ".join([tool, *values]))


def fenced_command(text: str) -> str:
    """The last fenced block of an action in a text protocol, in one short line; empty where there is none."""
    blocks = FENCE.findall(text)
    return one_line(blocks[-1]) if blocks else ""
