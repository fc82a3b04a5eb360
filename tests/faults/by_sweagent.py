"""SWE-agent: its real agent in this process, commands run here in the place of a container's."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

os.environ.setdefault("SWE_AGENT_LOG_STREAM_LEVEL", "CRITICAL")

from context_strategies.testing import run
from faults.job import Job
from hosts.sweagent.drive import Environment

SCRIPTED = "true; "
"""What the script's commands begin with, as opposed to those of the agent's set-up."""

TEMPLATES = {
    "system_template": "You fix bugs.",
    "instance_template": "{{problem_statement}}",
    "next_step_template": "OBSERVATION:\n{{observation}}",
    "next_step_no_output_template": "No output.",
    "max_observation_length": 100_000_000,
}


class Commands(Environment):
    """Runs the script's commands, and reads what they print as SWE-agent's own environments do."""

    def communicate(self, input: str, **more: Any) -> str:  # noqa: A002 - SWE-agent's name
        if not input.startswith(SCRIPTED):
            return super().communicate(input, **more)
        done = subprocess.run(["/bin/sh", "-c", input], capture_output=True, timeout=60, check=False)
        return done.stdout.decode(errors="backslashreplace")


class SWEAgent:
    """A new run each time: it can't go on with one."""

    title = "SWE-agent"
    finish = run("submit")
    before = SCRIPTED
    resumes = False
    threads = True

    def run(self, job: Job) -> str:
        from swe_agent_plugin.register import register

        register()
        from sweagent.agent.agents import get_agent_from_config
        from sweagent.agent.problem_statement import TextProblemStatement
        from sweagent.run.run_single import RunSingleConfig

        config: Any = RunSingleConfig.model_validate({"agent": self._agent(job)})
        agent = get_agent_from_config(config.agent)
        agent.replay_config = config
        problem: Any = TextProblemStatement(text=job.task, id=job.name)
        try:
            result: Any = agent.run(env=Commands(), problem_statement=problem, output_dir=Path(job.folder))
        except Exception as error:  # noqa: BLE001 - whatever ends a run is what is asked for
            return type(error).__name__
        return str(result.info["exit_status"])

    def _agent(self, job: Job) -> dict[str, Any]:
        chain = [{**job.strategy}] if job.strategy else []
        if job.summarizer:
            chain[0]["summarizer"] = {**job.summarizer, "api_key": "none"}
        model = {
            "name": f"openai/{job.model or 'gpt-4o'}",
            "api_base": job.url,
            "api_key": "none",
            "retry": {"retries": 1},
            "per_instance_cost_limit": 0,
            "completion_kwargs": {"max_retries": 0},
        }
        return {"model": model, "templates": TEMPLATES, "history_processors": chain}

    def outputs(self, job: Job) -> list[str]:
        steps = json.loads(Path(job.folder, f"{job.name}.traj").read_text(encoding="utf-8"))["trajectory"]
        return [step["observation"] for step in steps if step["action"].startswith(SCRIPTED)]

    def events_path(self, job: Job) -> Path:
        return Path(job.folder, f"{job.name}.context.jsonl")
