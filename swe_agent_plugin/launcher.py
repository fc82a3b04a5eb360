"""The command ``sweagent-context``: an exact stand-in for ``sweagent`` in which the strategies are known."""

import sys
from collections.abc import Sequence
from importlib.util import find_spec

from context_strategies.strategies import strategy_classes
from swe_agent_plugin import enable
from swe_agent_plugin.register import register

MISSING = (
    "SWE-agent is not installed in this environment. Install it from https://github.com/SWE-agent/SWE-agent, and "
    "context-strategies beside it (the package called sweagent on PyPI is another one)."
)

MENU = """\
sweagent-context: the arguments are sweagent's own; besides, sweagent-context enable|disable makes these types known to
the plain sweagent command of this environment, or takes that back.

Types for agent.history_processors:
{types}

Their fields, defaults and what each does: context-strategies strategies (pip install 'context-strategies[compare]')
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run SWE-agent's command line with ``arguments`` (default: the process's); gives the exit code."""
    args = list(sys.argv[1:] if arguments is None else arguments)
    if args[:1] in (["enable"], ["disable"]):
        return enable.command(args)
    if find_spec("sweagent") is None:
        sys.stderr.write(f"{MISSING}\n")
        return 1
    register()
    if not args or {"-h", "--help"} & set(args):
        sys.stdout.write(f"{menu()}\n")
        sys.stdout.flush()
    from sweagent.run.run import main as sweagent  # noqa: PLC0415 - the types must be known before it is imported

    return int(sweagent(args) or 0)


def menu() -> str:
    """What the launcher's help says before SWE-agent's own."""
    lines = [
        f"  {name:<16} {(cls.__doc__ or '').strip().partition(chr(10))[0]}" for name, cls in strategy_classes().items()
    ]
    return MENU.format(types="\n".join(lines))
