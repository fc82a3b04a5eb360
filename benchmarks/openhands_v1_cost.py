"""What the OpenHands SDK sends and pays under its own condenser and ours, in a scripted run each, by the server's log.

    .venv/bin/python benchmarks/openhands_v1_cost.py

25 turns of about 4,000 characters, native tool calls. Cost is that of a model that caches what two requests share, at
one dollar a million tokens of input: a token read from the cache costs a tenth, one written there 1.25 times that.
The second table: the same run with a model that takes 60,000 characters.
"""

import logging
import os
import re
import sys
import tempfile
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("OPENHANDS_SUPPRESS_BANNER", "1")
ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from openhands.sdk import LLM  # noqa: E402
from openhands.sdk.context.condenser import CondenserBase, LLMSummarizingCondenser  # noqa: E402

from context_strategies.experiment.demo.bills import cost_of  # noqa: E402
from context_strategies.prices import relative  # noqa: E402
from context_strategies.summarizers.prompt import OPENING  # noqa: E402
from context_strategies.testing import ScriptedModel, say  # noqa: E402
from openhands_plugin import v1  # noqa: E402
from openhands_v1_host import Host, model_of, pairs, steps  # noqa: E402 - the tests' own

Make = Callable[[ScriptedModel], CondenserBase | None]
PRICES = relative()
SUMMARY = say("The summary of the work so far: " + "what was done, found out and is left to do. " * 40)
PATTERN = f"{re.escape(OPENING)}|context-aware state summary"
MAKES: dict[str, Make] = {
    "none": lambda _: None,
    "SDK LLMSummarizingCondenser (80, 4: its default agent's)": lambda s: _sdk(s, 80),
    "SDK LLMSummarizingCondenser (20, 4)": lambda s: _sdk(s, 20),
    "masking, window 10 (default)": lambda _: v1.MaskingCondenser(),
    "masking, window 5, every turn": lambda _: v1.MaskingCondenser(window=5, refresh=1),
    "masking, window 5, every 5 turns": lambda _: v1.MaskingCondenser(window=5, refresh=5),
    "truncation, 3,000 tokens": lambda _: v1.TruncationCondenser(),
    "llm_summary, every 6, window 5": lambda s: v1.LLMSummaryCondenser(every=6, window=5, llm=_cheap(s)),
    "rolling_summary (default)": lambda s: v1.RollingSummaryCondenser(llm=_cheap(s)),
    "hybrid, window 5, every 10": lambda s: v1.HybridCondenser(window=5, every=10, llm=_cheap(s)),
}


def _cheap(server: ScriptedModel) -> LLM:
    return model_of(server, "condenser")


def _sdk(server: ScriptedModel, size: int) -> CondenserBase:
    return LLMSummarizingCondenser(llm=_cheap(server), max_size=size, keep_first=4)


def row(name: str, make: Make, limit: int = 0) -> str:
    """One line of a table."""
    script = [*steps(25, lines=820)[:-1], steps(0)[-1]]
    with tempfile.TemporaryDirectory() as folder:
        host = Host(Path(folder))
        with ScriptedModel(script, summaries=[SUMMARY], summary_pattern=PATTERN, max_characters=limit) as server:
            done = host.run(model_of(server), make(server))
        host.close()
    answered = [record for record in server.log if record.status == HTTPStatus.OK]
    requests = [record for record in answered if record.kind == "agent"]
    if limit:
        refused = len(server.log) - len(answered)
        return f"| {name} | {done.state.execution_status.value} | {len(requests)} | {refused} |"
    calls, answers = pairs(requests[-1].messages)
    characters = sum(record.characters for record in answered)
    made = f"{len(requests)} + {len(answered) - len(requests)}"
    return f"| {name} | {made} | {calls} / {answers} | {characters:,} | {cost_of(answered, PRICES):.4f} |"


def main() -> None:
    """Print both tables."""
    logging.disable(logging.CRITICAL)
    print("| condenser | requests + others | calls / answers in the last request | characters sent | cost, $ |")
    print("|---|---|---|---|---|")
    for name, make in MAKES.items():
        print(row(name, make), flush=True)
    print("\n| condenser | ends | requests | refused |\n|---|---|---|---|")
    for name, make in MAKES.items():
        print(row(name, make, limit=60_000), flush=True)


if __name__ == "__main__":
    main()
