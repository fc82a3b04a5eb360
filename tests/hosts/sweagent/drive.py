"""One real SWE-agent agent in a made-up environment: the tests start it with SWE-agent's own interpreter.

It reads a JSON object from standard input: ``agent`` (an agent config), ``task``, ``id``, ``output`` (a folder), and
``register``, false for SWE-agent as it is. Nothing is executed: ``show N LINES`` prints made-up lines, ``submit``
submits. The last line it prints is the run's info.
"""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

SUBMISSION = "<<SWE_AGENT_SUBMISSION>>"
PATCH = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"


class Environment:
    """What an agent asks of its environment, without one."""

    name = "made-up"
    repo = None

    def __init__(self) -> None:
        self.deployment = SimpleNamespace(is_alive=self._alive, runtime=SimpleNamespace())

    async def _alive(self, **_: Any) -> bool:
        return True

    def communicate(self, input: str, **_: Any) -> str:  # noqa: A002 - SWE-agent's name
        if input.startswith("show "):
            number, lines = input.split()[1:]
            return "\n".join(f"{number}:{line} value = compute(item, index={line})" for line in range(int(lines)))
        return SUBMISSION if input == "submit" else ""

    def read_file(self, path: str, **_: Any) -> str:
        return PATCH if str(path).endswith("model.patch") else "{}"

    def set_env_variables(self, variables: dict[str, str]) -> None: ...

    def write_file(self, path: str, content: str) -> None: ...

    def execute_command(self, command: str, **_: Any) -> None: ...

    def interrupt_session(self) -> None: ...

    def hard_reset(self) -> None: ...


def main() -> None:
    spec = json.load(sys.stdin)
    if spec.get("register", True):
        from swe_agent_plugin.register import register

        register()
    from sweagent.agent.agents import get_agent_from_config
    from sweagent.agent.problem_statement import TextProblemStatement
    from sweagent.run.run_single import RunSingleConfig

    config = RunSingleConfig.model_validate({"agent": spec["agent"]})
    agent = get_agent_from_config(config.agent)
    if config.agent.type == "default":
        agent.replay_config = config
    problem = TextProblemStatement(text=spec["task"], id=spec["id"])
    result = agent.run(env=Environment(), problem_statement=problem, output_dir=Path(spec["output"]))
    sys.stdout.write(f"\n{json.dumps(result.info)}\n")


if __name__ == "__main__":
    main()
