"""What real SWE-agent runs cost under each history processor, with a scripted model: no key, no network.

    SWEAGENT_PYTHON=/path/to/python PYTHONPATH=shared:. python benchmarks/sweagent_cost.py

Two tables. The first is a run of 20 steps with a provider that caches prefixes by itself, priced from the usage that
the server reported. The second is a run of 40 steps whose requests, as they arrived, are priced by the rules of
explicit cache marks: a mark finds an earlier entry up to 20 blocks before it.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from context_strategies.experiment.demo.bills import cost_of
from context_strategies.prices import Prices, Rates
from context_strategies.testing import Record, ScriptedModel, Step, run, say
from context_strategies.testing.wire import marks_of, text_of, without_marks

ROOT = Path(__file__).resolve().parents[1]
INPUT, OUTPUT, READ, WRITE = 3e-6, 15e-6, 0.1, 1.25
LOOK_BACK = 20
SUMMARY = say("The summary of the work so far: " + "what was done, found out and is left to do. " * 40)

Chain = Sequence[Mapping[str, Any]]
MARKS: Chain = ({"type": "cache_control", "last_n_messages": 2},)


def steps(count: int, most: int) -> list[Step]:
    """A script of ``count`` steps: outputs of 4 to ``most`` lines of about 35 characters, the same ones each time."""
    lines = random.Random(7)  # noqa: S311 - the same figures each time are what is wanted
    return [run(f"show {n} {lines.randint(4, most)}", f"I look at part {n}. " * 8) for n in range(count - 1)] + [
        run("submit")
    ]


def requests(chain: Chain, script: Sequence[Step], prices: Mapping[str, float], model: str) -> list[Record]:
    """The requests of one run of ``script`` with ``chain``."""
    with tempfile.TemporaryDirectory() as folder, ScriptedModel(script, summaries=[SUMMARY]) as server:
        registry = Path(folder) / "registry.json"
        entry = {"litellm_provider": "openai", "mode": "chat", "max_input_tokens": 200_000, **prices}
        registry.write_text(json.dumps({f"openai/{model}": entry}))
        spec = {
            "agent": agent(chain, f"openai/{model}", server.url, registry),
            "task": "Fix it.",
            "id": "bench",
            "output": folder,
        }
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'shared'}:{ROOT}", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        command = [os.environ["SWEAGENT_PYTHON"], str(ROOT / "tests" / "hosts" / "sweagent" / "drive.py")]
        done = subprocess.run(
            command, input=json.dumps(spec), text=True, capture_output=True, env=environment, check=False
        )
        if done.returncode:
            sys.exit(done.stdout[-2_000:] + done.stderr[-2_000:])
        info = json.loads(done.stdout.splitlines()[-1])
        if info["exit_status"] != "submitted" or info["model_stats"]["api_calls"] != len(server.log):
            sys.exit(f"unexpected: {info}")
        return server.log


def agent(chain: Chain, model: str, url: str, registry: Path) -> dict[str, Any]:
    """An agent config."""
    return {
        "model": {
            "name": model,
            "api_base": url,
            "api_key": "none",
            "litellm_model_registry": str(registry),
            "per_instance_cost_limit": 0,
            "retry": {"retries": 1},
        },
        "templates": {
            "system_template": "You fix bugs. " * 100,
            "instance_template": "{{problem_statement}} " + "Take care of every detail. " * 100,
            "next_step_template": "OBSERVATION:\n{{observation}}",
            "next_step_no_output_template": "No output.",
        },
        "history_processors": list(chain),
    }


def by_marks(log: Sequence[Record]) -> float:
    """Characters of input at the input price, under the rules of explicit marks."""
    entries: set[tuple[str, ...]] = set()
    cost = 0.0
    for record in log:
        blocks = list(_blocks(record.messages))
        texts = [text for text, _ in blocks]
        marks = [place + 1 for place, (_, mark) in enumerate(blocks) if mark]
        found = max((_found(entries, texts, mark) for mark in marks), default=0)
        last = max([*marks, found])
        sizes = list(map(len, texts))
        cost += READ * sum(sizes[:found]) + WRITE * sum(sizes[found:last]) + sum(sizes[last:])
        entries |= {tuple(texts[:mark]) for mark in marks}
    return cost


def _found(entries: set[tuple[str, ...]], texts: Sequence[str], mark: int) -> int:
    return next((end for end in range(mark, max(mark - LOOK_BACK, 0), -1) if tuple(texts[:end]) in entries), 0)


def _blocks(messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, bool]]:
    """Each content block of a request and whether it is marked: a text, and each tool call."""
    for message in messages:
        calls = message.get("tool_calls") or ()
        if content := text_of({"content": message.get("content")}):
            yield f"{message['role']}: {content}", bool(marks_of([message])) and not calls
        for call in calls:
            yield json.dumps(without_marks(call)), False


def shipped(name: str) -> Chain:
    """The chain of one of our configs."""
    chain: Chain = yaml.safe_load((ROOT / "configs" / "swe_agent" / f"{name}.yaml").read_text())["agent"][
        "history_processors"
    ]
    return chain


def twenty() -> None:
    """The first table."""
    prices = {
        "input_cost_per_token": INPUT,
        "output_cost_per_token": OUTPUT,
        "cache_read_input_token_cost": INPUT * READ,
    }
    automatic = Prices("scripted", ((0, Rates(INPUT, OUTPUT, INPUT * READ, INPUT)),))
    chains: dict[str, Chain] = {
        "no processor": (),
        "last_n_observations n=3": ({"type": "last_n_observations", "n": 3},),
        "masking, window 3, every turn": ({"type": "masking", "window": 3, "refresh": 1},),
        "masking, window 3": ({"type": "masking", "window": 3},),
    }
    sys.stdout.write("| 20 steps, automatic cache | requests | cost | of none |\n|---|---|---|---|\n")
    base = 0.0
    for name, chain in chains.items():
        log = requests(chain, steps(20, 80), prices, "scripted")
        cost = cost_of(log, automatic)
        base = base or cost
        sys.stdout.write(f"| {name} | {len(log)} | ${cost:.4f} | {cost / base:.2f} |\n")
        sys.stdout.flush()


def forty() -> None:
    """The second table."""
    prices = {
        "input_cost_per_token": INPUT,
        "output_cost_per_token": OUTPUT,
        "cache_read_input_token_cost": INPUT * READ,
        "cache_creation_input_token_cost": INPUT * WRITE,
    }
    masking = {"type": "masking", "refresh": 1}
    chains: dict[str, Chain] = {
        "cache_control alone": MARKS,
        "last_n_observations n=3": ({"type": "last_n_observations", "n": 3}, *MARKS),
        "masking, window 1, every turn": ({**masking, "window": 1}, *MARKS),
        "masking, window 1, every turn, after cache_control": (*MARKS, {**masking, "window": 1}),
        **{f"`{path.name}`": shipped(path.stem) for path in sorted((ROOT / "configs" / "swe_agent").glob("*.yaml"))},
    }
    sys.stdout.write("\n| 40 steps, explicit marks | requests | input, characters | of raw |\n|---|---|---|---|\n")
    base = 0.0
    for name, chain in chains.items():
        log = requests(chain, steps(40, 300), prices, "claude-scripted")
        cost = by_marks(log)
        base = base or cost
        sys.stdout.write(f"| {name} | {len(log)} | {cost:,.0f} | {cost / base:.2f} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    twenty()
    forty()
