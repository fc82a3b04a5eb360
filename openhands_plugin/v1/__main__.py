"""``python -P -m openhands_plugin.v1``: OpenHands' command line with the condensers known to it.

``-P`` keeps Python from taking a module of the project it is started in for one of its own.
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from openhands.sdk import Agent
from openhands.sdk.context.condenser import LLMSummarizingCondenser, NoOpCondenser
from pydantic import ValidationError

import openhands_plugin.v1  # noqa: F401 - registers the condensers


def main() -> int:
    """Run ``openhands`` with this process's arguments."""
    if find_spec("openhands_cli") is None:
        sys.stderr.write("OpenHands' command line is not installed in this environment: pip install openhands\n")
        return 1
    command = import_module("openhands_cli.entrypoint")
    reason = refusal()
    if reason:
        sys.stderr.write(f"{reason}\n")
        return 1
    command.main()
    return 0


def refusal() -> str:
    """Why OpenHands would not take the agent's settings, or leave their condenser out; empty if it takes them.

    It would say no more than that the file is corrupted, or nothing at all.
    """
    try:
        locations = import_module("openhands_cli.locations")
        path = Path(locations.get_persistence_dir(), locations.AGENT_SETTINGS_PATH)
        data = path.read_bytes()
    except (AttributeError, ImportError, OSError):
        return ""  # another release, or nothing set up yet
    try:
        condenser = Agent.model_validate_json(data).condenser
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "its text"
        return f"{path}: {field}: {first['msg'].removeprefix('Value error, ')}"
    if condenser is None or isinstance(condenser, LLMSummarizingCondenser | NoOpCondenser):
        return ""
    return f"{path}: condenser: OpenHands' command line takes no {condenser.kind}; use ContextCondenser with a strategy"


if __name__ == "__main__":
    sys.exit(main())
