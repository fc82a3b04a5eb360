"""Stands for mini-swe-agent where only the runner is looked at: a wrapper that does not start what it is given.

What it does is in the task: ``ok``, ``fail``, ``hang`` (and start a command that hangs), ``nothing`` (no recording).
Each start is a line in ``starts.txt`` beside the experiment.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import yaml

COST = 0.5


def main() -> int:
    words = sys.argv[1:]
    output = Path(words[words.index("-o") + 1])
    task = yaml.safe_load(Path(words[words.index("-c") + 3]).read_text())["run"]["task"]
    with Path("starts.txt").open("a") as starts:
        starts.write(f"{output.parent.name}\n")
    if task == "hang":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
        Path("pids.txt").write_text(f"{os.getpid()} {child.pid}")
        time.sleep(600)
    if task == "fail":
        sys.stdout.write("it went wrong\n")
        return 3
    if task == "ok":
        info = {"exit_status": "Submitted", "model_stats": {"instance_cost": COST, "api_calls": 1}}
        messages = [
            {"role": "system", "content": "a"},
            {"role": "user", "content": "b"},
            {"role": "assistant", "content": "c"},
        ]
        output.write_text(json.dumps({"info": info, "messages": messages, "trajectory_format": "mini-swe-agent-1.1"}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
