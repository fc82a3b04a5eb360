"""``python -m openhands_plugin``: OpenHands V0 with the strategies as condensers.

The arguments are those of ``python -m openhands.core.main``; or ``-m MODULE`` and the arguments of another module of
OpenHands, an evaluation say.
"""

import runpy
import sys
from collections.abc import Sequence
from importlib.util import find_spec

MAIN = "openhands.core.main"
MISSING = (
    "OpenHands V0 is not installed in this environment: pip install 'context-strategies[openhands-v0]'. The condensers "
    "for the OpenHands SDK (V1) need no launcher: import openhands_plugin.v1."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run OpenHands with ``arguments`` (default: the process's); gives the exit code where it comes back."""
    args = list(sys.argv[1:] if arguments is None else arguments)
    module, rest = (args[1], args[2:]) if args[:1] == ["-m"] and args[1:] else (MAIN, args)
    if not installed():
        sys.stderr.write(f"{MISSING}\n")
        return 1
    from openhands_plugin.v0 import agent  # noqa: F401, PLC0415 - it registers the strategies

    sys.argv = [module, *rest]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    return 0


def installed() -> bool:
    """Whether OpenHands V0 is there: the SDK alone brings a package of the same name."""
    return find_spec("openhands") is not None and find_spec("openhands.core") is not None


if __name__ == "__main__":
    sys.exit(main())
