"""mini-swe-agent: its default agent in a local environment."""

import json
import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from context_strategies.testing import run
from faults.job import Job
from mini_host import PRICED, SUBMIT, agent_of, model_of


class Mini:
    """A new run each time: it can't go on with one."""

    title = "mini-swe-agent"
    finish = run(SUBMIT)
    before = ""
    resumes = False
    threads = True

    def run(self, job: Job) -> str:
        logging.getLogger("minisweagent").setLevel(logging.CRITICAL)
        context = dict(job.strategy or {})
        if job.summarizer:
            context["summarizer"] = {**job.summarizer, "api_key": "none", "retries": 0}
        server: Any = SimpleNamespace(url=job.url)
        model = model_of(server, context, name=f"openai/{job.model}" if job.model else PRICED)
        agent = agent_of(model, Path(job.folder), output_path=self._saved(job))
        try:
            return str(agent.run(job.task)["exit_status"])
        except Exception as error:  # noqa: BLE001 - whatever ends a run is what is asked for
            return type(error).__name__

    def outputs(self, job: Job) -> list[str]:
        messages = json.loads(self._saved(job).read_text(encoding="utf-8"))["messages"]
        return [message["content"] for message in messages if message["role"] == "tool"]

    def events_path(self, job: Job) -> Path:
        return Path(job.folder, f"{job.name}.context.jsonl")

    def _saved(self, job: Job) -> Path:
        return Path(job.folder, f"{job.name}.traj.json")
