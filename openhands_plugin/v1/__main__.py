"""``python -m openhands_plugin.v1``: OpenHands' command line with the condensers known to it."""

import sys

import openhands_plugin.v1  # noqa: F401 - registers the condensers


def main() -> int:
    """Run ``openhands`` with this process's arguments."""
    try:
        from openhands_cli.entrypoint import main as openhands  # noqa: PLC0415 - not everyone has it
    except ImportError:
        sys.stderr.write("OpenHands' command line is not installed in this environment: pip install openhands\n")
        return 1
    openhands()
    return 0


if __name__ == "__main__":
    sys.exit(main())
