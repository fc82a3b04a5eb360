"""Time of one call of a history processor: SWE-agent's own and ours, by the length of the run.

    LITELLM_LOCAL_MODEL_COST_MAP=True PYTHONPATH=shared:. $SWEAGENT_PYTHON benchmarks/sweagent_speed.py

Each number is the mean over the last turns of a run that grows by one turn a call, as SWE-agent calls it.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

from sweagent.agent.history_processors import LastNObservations

from swe_agent_plugin.marks import marked, set_marks
from swe_agent_plugin.processors import processor_classes

TURNS = (500, 1_000, 2_000, 4_000)
SAMPLE = 20

Processor = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


def turn(number: int) -> list[dict[str, Any]]:
    """One turn of function calling: about 250 characters of reply, 1,500 of output."""
    call = {
        "id": f"c{number}",
        "type": "function",
        "function": {"name": "bash", "arguments": '{"command": "cat a.py"}'},
    }
    return [
        {
            "role": "assistant",
            "content": f"Step {number}. " + "I look at the file. " * 12,
            "thought": "",
            "action": "cat a.py",
            "agent": "main",
            "tool_calls": [call],
            "message_type": "action",
        },
        {
            "role": "tool",
            "content": f"line {number} of the output\n" * 60,
            "tool_call_ids": [f"c{number}"],
            "agent": "main",
            "message_type": "observation",
        },
    ]


def measure(processor: Processor, turns: int) -> float:
    """Mean milliseconds a call over the last ``SAMPLE`` of ``turns`` turns."""
    history: list[dict[str, Any]] = [
        {"role": "system", "content": "You fix bugs.", "agent": "main", "message_type": "system_prompt"},
        {"role": "user", "content": "Fix a.py.", "agent": "main", "message_type": "observation"},
    ]
    for number in range(turns - SAMPLE):
        history += turn(number)
    processor(list(history))
    spent = 0.0
    for number in range(turns - SAMPLE, turns):
        history += turn(number)
        request = list(history)
        start = time.perf_counter()
        processor(request)
        spent += time.perf_counter() - start
    return spent / SAMPLE * 1_000


def with_marks(processor: Processor) -> Processor:
    """``processor`` followed by the step that sets cache marks, in a request whose newest message is marked."""

    def run(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
        request = processor(history)
        request[-1] = marked(request[-1], {"type": "ephemeral"})
        return set_marks(request, [len(request) // 2])

    return run


def main() -> None:
    """Print the table."""
    ours = processor_classes()
    columns: dict[str, Callable[[], Processor]] = {
        "last_n_observations n=5": lambda: LastNObservations(n=5),
        "masking": ours["masking"],
        "masking, marks set": lambda: with_marks(ours["masking"]()),
        "masking, each turn": lambda: ours["masking"](refresh=1),
        "hybrid": lambda: ours["hybrid"](summarizer="extractive"),
    }
    sys.stdout.write("| turns | " + " | ".join(f"{name} (ms)" for name in columns) + " |\n")
    sys.stdout.write("|---|" + "---|" * len(columns) + "\n")
    for turns in TURNS:
        times = [measure(make(), turns) for make in columns.values()]
        sys.stdout.write(f"| {turns:,} | " + " | ".join(f"{value:.2f}" for value in times) + " |\n")


if __name__ == "__main__":
    main()
