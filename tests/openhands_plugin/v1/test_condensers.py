import copy
import json
import pickle
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

pytest.importorskip("openhands.sdk", reason="the OpenHands SDK is not installed here")

from openhands.sdk import LLM, Agent
from openhands.sdk.context.condenser import CondenserBase, LLMSummarizingCondenser, PipelineCondenser
from openhands.sdk.context.view import View
from openhands.sdk.event import AgentErrorEvent, ObservationEvent
from openhands.sdk.llm import ImageContent, TextContent
from openhands.sdk.tool.schema import Observation

from context_strategies import strategy_classes
from openhands_plugin import v1
from openhands_plugin.v1.checkpoint import Checkpoint, read, write
from talks import Talk, texts

KINDS: dict[str, type[Any]] = {
    "masking": v1.MaskingCondenser,
    "truncation": v1.TruncationCondenser,
    "llm_summary": v1.LLMSummaryCondenser,
    "rolling_summary": v1.RollingSummaryCondenser,
    "hybrid": v1.HybridCondenser,
}
CONFIGS = Path(__file__).resolve().parents[3] / "configs" / "openhands" / "v1"
BIG = "a line of output, one of many\n" * 200


class PageObservation(Observation):
    """A browser's: it shows its screenshot whatever its content is."""

    @property
    def to_llm_content(self) -> list[TextContent | ImageContent]:
        return [*super().to_llm_content, ImageContent(image_urls=["data:image/png;base64,AAAA"])]


def llm(**fields: Any) -> LLM:
    return LLM(model="openai/scripted", api_key="none", **fields)


@pytest.mark.parametrize("name", KINDS)
def test_fields_defaults_and_help_are_the_core_s(name: str) -> None:
    core, own = strategy_classes()[name].model_fields, KINDS[name].model_fields
    assert set(own) - set(core) <= {"llm", "events"}
    for field, info in core.items():
        assert own[field].default == info.default
        assert own[field].description == info.description
        assert own[field].annotation == info.annotation
    assert KINDS[name].__doc__ == strategy_classes()[name].__doc__


def test_every_strategy_but_the_baseline_has_a_condenser() -> None:
    assert set(KINDS) | {"raw"} == {
        name for name, cls in strategy_classes().items() if cls.__module__.startswith("con")
    }


@pytest.mark.parametrize("name", KINDS)
def test_goes_through_json_by_its_class_name(name: str) -> None:
    made = KINDS[name](max_tokens=50_000)
    data = json.loads(made.model_dump_json())
    assert data["kind"] == KINDS[name].__name__
    assert CondenserBase.model_validate(data) == made
    agent = Agent(llm=llm(), tools=[], condenser=made)
    assert Agent.model_validate_json(agent.model_dump_json()).condenser == made


@pytest.mark.parametrize(
    "data",
    [
        {"kind": "MaskingCondenser", "windw": 5},
        {"kind": "HybridCondenser", "every": "often"},
        {"kind": "MaskingCondensr"},
        {"kind": "ContextCondenser", "llm": {"model": "x"}, "strategy": "masking:windw=5"},
        {"kind": "ContextCondenser", "llm": {"model": "x"}, "strategy": "mask"},
        {"kind": "ContextCondenser", "stratgy": "masking", "llm": {"model": "x"}},
    ],
)
def test_an_unknown_name_or_a_bad_value_is_an_error(data: dict[str, Any]) -> None:
    with pytest.raises((ValidationError, ValueError)) as error:
        CondenserBase.model_validate(dict(data))  # older releases take the kind out
    wrong = data.get("strategy", "").rpartition(":")[2].split("=")[0] or next(
        k for k in data if k != "kind" or len(data) == 1
    )
    assert wrong in str(error.value) or data["kind"] in str(error.value)


def test_copies_start_without_a_memory() -> None:
    made = v1.MaskingCondenser()
    talk = Talk()
    talk.turn("out")
    talk.ask(made)
    for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):  # noqa: S301 - our own
        assert other == made
        assert not other._conversations._known


def test_a_model_given_with_the_agent_s_usage_id_gets_its_own() -> None:
    agents = llm()
    made = v1.HybridCondenser(llm=agents)
    assert made.llm is not None
    assert made.llm.usage_id == "condenser"
    assert made.llm.metrics is not agents.metrics
    own = llm(usage_id="cheap")
    assert v1.HybridCondenser(llm=own).llm is own
    assert v1.ContextCondenser(llm=agents).llm.usage_id == "condenser"
    assert {one.usage_id for one in Agent(llm=agents, tools=[], condenser=made).get_all_llms()} == {
        "default",
        "condenser",
    }


def test_every_tool_s_output_can_be_hidden_and_rules_that_came_with_it_stay() -> None:
    talk = Talk()
    talk.turn("ok")
    talk.turn("ok")
    action, observed, second, answered = talk.view.events[-4:]
    assert isinstance(answered, ObservationEvent)
    picture = observed.model_copy(update={"observation": PageObservation(content=[TextContent(text=BIG)])})
    picture = picture.model_copy(update={"extended_content": [TextContent(text="A rule for this folder.")]})
    error = AgentErrorEvent(error=BIG, tool_name="terminal", tool_call_id=answered.tool_call_id)
    view = View(events=[*talk.view.events[:2], action, picture, second, error])
    shown = v1.MaskingCondenser(window=0, refresh=1).condense(view)
    assert isinstance(shown, View)
    _, _, _, first, _, last = shown.events
    content = first.to_llm_message().content
    assert not [part for part in content if isinstance(part, ImageContent)]
    placeholder, rule = [part.text for part in content if isinstance(part, TextContent)]
    size = r"20\d lines, 6,0\d\d characters, 1 image"  # some releases put the tool's output between lines of their own
    assert re.fullmatch(rf'\[Output of "cat file1_0\.py" hidden: {size}\. Run it again if you need it\.\]', placeholder)
    assert rule == "A rule for this folder."
    assert last.to_llm_message().tool_call_id == answered.tool_call_id
    assert "hidden" in texts([last])[0][1]
    assert [event.id for event in shown.events] == [event.id for event in view.events]
    assert BIG in texts([picture])[0][1]


def test_nothing_of_the_view_it_is_given_changes() -> None:
    talk = Talk()
    for _ in range(6):
        talk.turn(BIG)
    before = talk.view.model_copy(update={"events": list(talk.view.events)})
    v1.MaskingCondenser(window=1, refresh=1).condense(talk.view, agent_llm=LLM(model="litellm_proxy/claude-sonnet-4-5"))
    assert talk.view == before


def test_a_mark_stands_at_the_settled_end_for_models_with_marks_only() -> None:
    talk = Talk()
    for _ in range(6):
        talk.turn(BIG)
    condenser = v1.MaskingCondenser(window=2, refresh=1)
    for model, expected in (("litellm_proxy/claude-sonnet-4-5", [9]), ("openai/gpt-4o", [])):
        shown = condenser.condense(talk.view, agent_llm=LLM(model=model))
        assert isinstance(shown, View)
        marks = [i for i, e in enumerate(shown.events) if any(p.cache_prompt for p in e.to_llm_message().content)]
        assert marks[-1:] == expected


def test_in_a_pipeline_each_keeps_what_is_its_own() -> None:
    pipeline = PipelineCondenser(
        condensers=[v1.MaskingCondenser(window=2, refresh=1), v1.LLMSummaryCondenser(every=3, window=4)]
    )
    assert pipeline.handles_condensation_requests()
    talk = Talk()
    for n in range(15):
        talk.turn(BIG)
        shown = texts(talk.ask(pipeline))
        assert not [text for _, text in shown if "<!--" in text]
        outputs = [text for role, text in shown if role == "tool"]
        assert sum("hidden" in text for text in outputs) == max(len(outputs) - 2, 0)
        assert texts(pipeline.condense(talk.reloaded()).events) == shown  # type: ignore[union-attr]
        if n == 10:
            talk.request()
            assert texts(talk.ask(pipeline)) != shown


def test_the_command_line_s_condenser_is_any_strategy() -> None:
    made = v1.ContextCondenser(llm=llm(usage_id="condenser"), strategy="masking:window=2,refresh=1")
    assert isinstance(made, LLMSummarizingCondenser)
    again = CondenserBase.model_validate_json(made.model_dump_json())
    talk = Talk()
    for _ in range(6):
        talk.turn(BIG)
    expected = texts(talk.ask(v1.MaskingCondenser(window=2, refresh=1)))
    assert texts(talk.ask(made)) == texts(talk.ask(again)) == expected
    assert texts(talk.ask(made.model_copy(update={"llm": llm(usage_id="other")}))) == expected


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.json")), ids=lambda path: path.stem)
def test_a_config_is_an_agent(path: Path) -> None:
    agent = Agent.model_validate_json(path.read_text(encoding="utf-8"))
    assert agent.condenser is not None
    assert agent.condenser.handles_condensation_requests()


def test_a_checkpoint_comes_back_as_it_went() -> None:
    checkpoint = Checkpoint(
        summarizes=True, turn=12, folded=8, gone=900, next="event", facts=("a --> b", "<!-- c"), stuck=3
    )
    text, found = read(write("[Summary of turns 1 to 8, ...]\ntext", checkpoint))
    assert (text, found) == ("[Summary of turns 1 to 8, ...]\ntext", checkpoint)
    assert read("A foreign summary.") == ("A foreign summary.", None)
    assert read("x\n<!-- context-strategies {broken -->")[1] is None


@pytest.mark.parametrize(("events", "kept"), [("~/records", 1), ("~nobody-of-this-name/records", 0)])
def test_events_may_go_to_a_folder_at_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, events: str, kept: int
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    talk = Talk()
    talk.turn("out")
    assert talk.ask(v1.MaskingCondenser(events=events))
    assert len(list(tmp_path.rglob("*.jsonl"))) == len(list(tmp_path.glob("records/*.jsonl"))) == kept
