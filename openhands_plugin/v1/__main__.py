"""``python -m openhands_plugin.v1``: OpenHands' command line with the condensers known to it."""

import sys
from importlib import import_module
from importlib.util import find_spec

import openhands_plugin.v1  # noqa: F401 - registers the condensers


def main() -> int:
    """Run ``openhands`` with this process's arguments."""
    if find_spec("openhands_cli") is None:
        sys.stderr.write("OpenHands' command line is not installed in this environment: pip install openhands\n")
        return 1
    import_module("openhands_cli.entrypoint").main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
