"""What OpenHands V0 sends and pays under its own condensers and ours, in one scripted run each, from the server's log.

    .venv-v0/bin/python benchmarks/openhands_v0_cost.py

25 turns of about 4,000 characters, native tool calls. Cost is that of a model that caches what two requests share, at
one dollar a million tokens of input: a token read from the cache costs a tenth, one written there 1.25 times that.
"""

import logging
import os
import re
import sys
import tempfile
from http import HTTPStatus
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from context_strategies.experiment.demo.bills import cost_of  # noqa: E402
from context_strategies.prices import relative  # noqa: E402
from context_strategies.summarizers.prompt import OPENING  # noqa: E402
from context_strategies.testing import say  # noqa: E402
from openhands_v0_runs import BIG, FINISH, OpenHands, Run  # noqa: E402 - the tests' own

LLM = '[llm.cheap]\nmodel = "openai/cheap"'
CONDENSERS = {
    "none": 'type = "noop"',
    "OpenHands observation_masking (10)": 'type = "observation_masking"\nattention_window = 10',
    "OpenHands recent (20)": 'type = "recent"\nmax_events = 20',
    "OpenHands amortized (20)": 'type = "amortized"\nmax_size = 20\nkeep_first = 4',
    "OpenHands llm (20)": 'type = "llm"\nllm_config = "cheap"\nmax_size = 20\nkeep_first = 4',
    "masking, window 10 (default)": 'type = "masking"',
    "masking, window 5, every turn": 'type = "masking"\nwindow = 5\nrefresh = 1',
    "masking, window 5, every 5 turns": 'type = "masking"\nwindow = 5\nrefresh = 5',
    "truncation, 3,000 tokens": 'type = "truncation"',
    "llm_summary, every 6, window 5": 'type = "llm_summary"\nevery = 6\nwindow = 5\nllm_config = "cheap"',
    "rolling_summary (default)": 'type = "rolling_summary"\nllm_config = "cheap"',
    "hybrid, window 5, every 10": 'type = "hybrid"\nwindow = 5\nevery = 10\nllm_config = "cheap"',
}
PRICES = relative()
SUMMARY = say("The summary of the work so far: " + "what was done, found out and is left to do. " * 40)
SUMMARIES = f"{re.escape(OPENING)}|You are maintaining a context-aware state summary"
"""What tells a summary request, ours or OpenHands', from the agent's."""


def row(name: str, run: Run) -> str:
    """One line of the table."""
    last = [message["role"] for message in run.requests[-1].messages]
    answered = [record for record in run.log if record.status == HTTPStatus.OK]
    characters = sum(record.characters for record in answered)
    calls = f"{len(run.requests)} + {len(run.log) - len(run.requests)}"
    kept = f"{last.count('assistant')} / {last.count('tool')}"
    return f"| {name} | {calls} | {kept} | {characters:,} | {cost_of(answered, PRICES):.4f} |"


def main() -> None:
    """Print the table."""
    logging.disable(logging.CRITICAL)
    print("| condenser | requests + others | calls / answers in the last request | characters sent | cost, $ |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, fields) in enumerate(CONDENSERS.items(), 10):
            place = Path(folder) / str(number)  # of the same length each: outputs name it
            place.mkdir()
            condenser = f"[condenser]\n{fields}"
            run = OpenHands(place).run(
                condenser, [*BIG, FINISH], llm=LLM, summary_pattern=SUMMARIES, summaries=[SUMMARY]
            )
            print(row(name, run), flush=True)
        os.chdir(ROOT)  # OpenHands has gone to its workspace


if __name__ == "__main__":
    main()
