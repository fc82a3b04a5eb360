"""How long it takes to start: importing the core, and the command line's help; the best of five.

python benchmarks/start_time.py
"""

import subprocess
import sys
import time

WORK = {
    "import context_strategies": [sys.executable, "-c", "import context_strategies"],
    "import of all it exports": [
        sys.executable,
        "-c",
        "import context_strategies as c; [getattr(c, name) for name in dir(c)]",
    ],
    "context-strategies --help": [sys.executable, "-c", "from context_strategies.cli import main; main()", "--help"],
}


def main() -> None:
    """Print each time."""
    for name, command in WORK.items():
        times = []
        for _ in range(5):
            started = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            times.append(time.perf_counter() - started)
        print(f"{name}: {min(times):.2f} s")


if __name__ == "__main__":
    main()
