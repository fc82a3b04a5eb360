"""``sweagent-context enable`` and ``disable``: the plain ``sweagent`` command of one environment knows the strategies.

It takes one start-up file in the environment's ``site-packages``, which no wheel installs: it is written when asked for
and removed when asked for.
"""

import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

NAME = "zz_context_strategies_sweagent.pth"
"""Start-up files run in the order of their names; this one after those of editable installs."""

LINE = (
    'import importlib.util; importlib.util.find_spec("swe_agent_plugin") '
    'and __import__("swe_agent_plugin.hook").hook.install()\n'
)


def command(arguments: Sequence[str]) -> int:
    """Do what ``arguments`` (``enable`` or ``disable`` alone) say; gives the exit code."""
    if len(arguments) != 1:
        return _refuse(f"{arguments[0]} takes no arguments")
    if sys.prefix == sys.base_prefix:
        return _refuse("this Python is in no virtual environment, and nothing is written into a shared one")
    path = Path(sysconfig.get_path("purelib")) / NAME
    try:
        return _enable(path) if arguments[0] == "enable" else _disable(path)
    except OSError as error:
        return _refuse(f"{path}: {error.strerror or error}")


def _enable(path: Path) -> int:
    if path.is_file() and path.read_text(encoding="utf-8") != LINE:
        return _refuse(f"{path} is there already and holds something else")
    path.write_text(LINE, encoding="utf-8")
    sys.stdout.write(f"Wrote {path}\nsweagent knows the strategies now; sweagent-context disable takes it back.\n")
    return 0


def _disable(path: Path) -> int:
    if not path.is_file():
        sys.stdout.write(f"Nothing to remove: there is no {path}\n")
        return 0
    if path.read_text(encoding="utf-8") != LINE:
        return _refuse(f"{path} holds something else than sweagent-context wrote; remove it by hand")
    path.unlink()
    sys.stdout.write(f"Removed {path}\n")
    return 0


def _refuse(reason: str) -> int:
    sys.stderr.write(f"sweagent-context: {reason}\n")
    return 1
