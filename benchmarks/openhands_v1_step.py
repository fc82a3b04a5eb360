"""What one step of condensing takes in the OpenHands SDK: its own summarizing condenser beside ours.

    .venv/bin/python benchmarks/openhands_v1_step.py

Each row: a conversation of so many events, one turn more, the condenser asked; the median of 15 such steps, and the
first step in a process that meets the conversation anew. No model is called: no summary is due.
"""

import os
import sys
import time
from pathlib import Path
from statistics import median

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("OPENHANDS_SUPPRESS_BANNER", "1")

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from openhands.sdk import LLM
from openhands.sdk.context.condenser import CondenserBase, LLMSummarizingCondenser

from openhands_plugin import v1
from talks import Talk

STEPS = 15
LINE = "src/module_{n}.py:17: a line of output as programs print them, forty of them an output\n"


def milliseconds(condenser: CondenserBase, llm: LLM, events: int) -> tuple[float, float]:
    """Of the first step, and the median of those after it."""
    talk = Talk()
    for n in range(events // 2 - 1):
        talk.turn(LINE.format(n=n) * 40)
    times = []
    for n in range(STEPS + 1):
        start = time.perf_counter()
        condenser.condense(talk.view, agent_llm=llm)
        times.append(1_000 * (time.perf_counter() - start))
        talk.turn(LINE.format(n=n) * 40)
    return times[0], median(times[1:])


def main() -> None:
    """Print one line a condenser."""
    llm = LLM(model="openai/gpt-4o", api_key="none", max_input_tokens=10_000_000)
    makes = {
        "LLMSummarizingCondenser (SDK)": lambda: LLMSummarizingCondenser(llm=llm, max_size=10_000),
        "MaskingCondenser, break_even": v1.MaskingCondenser,
        "MaskingCondenser, refresh=1": lambda: v1.MaskingCondenser(refresh=1),
        "HybridCondenser, at_tokens": lambda: v1.HybridCondenser(at_tokens=10_000_000),
    }
    print(f"{'milliseconds a step (first)':<32}{'250 events':>20}{'1,000 events':>20}")
    for name, make in makes.items():
        cells = [milliseconds(make(), llm, events) for events in (250, 1_000)]
        print(f"{name:<32}" + "".join(f"{f'{step:.1f} ({first:.0f})':>20}" for first, step in cells))


if __name__ == "__main__":
    main()
