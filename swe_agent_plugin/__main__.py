"""``python -m swe_agent_plugin``: SWE-agent with the strategies as history processors."""

import sys

from swe_agent_plugin.launcher import main

if __name__ == "__main__":
    sys.exit(main())
