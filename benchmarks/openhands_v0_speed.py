"""What a step of the condensers costs in OpenHands V0, in milliseconds, at the end of conversations of some lengths.

.venv-v0/bin/python benchmarks/openhands_v0_speed.py
"""

import logging
import statistics
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from openhands.controller.state.state import State  # noqa: E402
from openhands.core.config import OpenHandsConfig  # noqa: E402
from openhands.core.config.condenser_config import ObservationMaskingCondenserConfig  # noqa: E402
from openhands.events.serialization.event import event_from_dict  # noqa: E402
from openhands.llm.llm_registry import LLMRegistry  # noqa: E402
from openhands.memory.condenser import Condenser  # noqa: E402

from openhands_plugin.v0.register import create, register  # noqa: E402

LENGTHS = (250, 1_000)
LAST = 20
"""Steps over which the median is taken."""


def turn(number: int) -> list[dict[str, Any]]:
    """An action and its output of about 4,000 characters."""
    function = {"name": "execute_bash", "arguments": '{"command": "ls"}'}
    calls = [{"id": f"call-{number}", "type": "function", "function": function}]
    response = {
        "id": f"reply-{number}",
        "choices": [{"message": {"role": "assistant", "content": "", "tool_calls": calls}}],
    }
    metadata = {
        "function_name": "execute_bash",
        "tool_call_id": f"call-{number}",
        "model_response": response,
        "total_calls_in_response": 1,
    }
    action = {"action": "run", "args": {"command": "ls"}}
    output = {"observation": "run", "content": f"file_{number}.py\n" * 300, "extras": {"command": "ls"}}
    return [{"source": "agent", "tool_call_metadata": metadata, **part} for part in (action, output)]


def events(count: int) -> list[Any]:
    """``count`` events: a task, then turns."""
    made: list[dict[str, Any]] = [
        {"source": "agent", "action": "system", "args": {"content": "You are an agent."}},
        {"source": "user", "action": "message", "args": {"content": "Do it."}},
    ]
    for number in range(count // 2 - 1):
        made += turn(number)
    return [event_from_dict({"id": i, "timestamp": "2026-01-01T00:00:00", **event}) for i, event in enumerate(made)]


def median(config: Any, count: int) -> float:
    """Milliseconds a step over the last steps of a conversation."""
    condenser = Condenser.from_config(config, LLMRegistry(OpenHandsConfig()))
    state, spent = State(session_id="s"), []
    history = events(count)
    for end in range(2, len(history) + 1, 2):
        state.history = history[:end]
        _ = state.view  # OpenHands' own part of a step
        start = time.perf_counter()
        condenser.condensed_history(state)
        spent.append(time.perf_counter() - start)
    return statistics.median(spent[-LAST:]) * 1_000


def main() -> None:
    """Print the table."""
    logging.disable(logging.CRITICAL)
    register()
    summarized = {"summarizer": "extractive"}
    configs = {
        "OpenHands observation_masking (10)": ObservationMaskingCondenserConfig(attention_window=10),
        "raw": create("raw", {}),
        "masking": create("masking", {}),
        "hybrid, summaries by rules": create("hybrid", summarized),
        "rolling_summary, summaries by rules": create("rolling_summary", summarized),
    }
    print(f"| condenser | {' | '.join(f'{count:,} events' for count in LENGTHS)} |")
    print("|---|---|---|")
    for name, config in configs.items():
        print(f"| {name} | {' | '.join(f'{median(config, count):.2f}' for count in LENGTHS)} |", flush=True)


if __name__ == "__main__":
    main()
