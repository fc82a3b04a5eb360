import re
from pathlib import Path
from typing import Any

import pytest

from context_strategies import ConfigError
from context_strategies.testing import ScriptedModel, say
from mini_host import FENCE, PRICED, TEXT, agent_of, events, model_of, script, sent, trajectory
from mini_swe_agent_plugin import ContextModel

MASKING = {"type": "masking", "window": 1, "refresh": 1}
COMMANDS = [f"seq -f '{n}:%g value = compute(item)' 1 40" for n in range(6)]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, r"model\.context is missing; name a strategy, as in \{type: masking\}: one of raw, masking"),
        ({"context": {"type": "masking", "windw": 3}}, r'model\.context: .*no field "windw"; valid fields: .*window'),
        ({"context": {"window": 3}}, r"model\.context: a strategy needs a type; one of: raw"),
        ({"context": "hybrid:summarizer=' '"}, r"summarizer is not valid: Who writes the summary"),
        ({"context": "raw", "inner_class": "litelm"}, r"Unknown model class: litelm .*litellm_textbased"),
    ],
)
def test_wrong_settings_are_said_at_once(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as raised:
        ContextModel(model_name=PRICED, **settings)
    assert "\n" not in str(raised.value)
    assert isinstance(raised.value, ConfigError) or "inner_class" in settings or "summarizer" in message


def test_a_setting_that_nobody_knows_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    ContextModel(model_name=PRICED, context="raw", iner_class=TEXT, set_cache_control="default_end")
    said = {record.getMessage() for record in caplog.records}
    assert said == {"model.iner_class is no setting of LitellmModel; it has no effect"}


def test_the_package_offers_the_class_and_no_other_name() -> None:
    import mini_swe_agent_plugin

    assert dir(mini_swe_agent_plugin) == ["ContextModel"]
    with pytest.raises(AttributeError, match="no attribute 'Context'"):
        _ = mini_swe_agent_plugin.Context


def test_outside_of_a_run_it_serializes_its_settings_alone() -> None:
    model = ContextModel(model_name=PRICED, context=MASKING, inner_class=TEXT)
    info = model.serialize()["info"]
    assert set(info) == {"config"}
    assert info["config"]["model"]["inner_class"] == TEXT
    assert info["config"]["model"]["context"]["window"] == 1


def test_a_key_is_not_written_down() -> None:
    summarizer = {"model": "small", "api_key": "secret"}
    model = ContextModel(model_name=PRICED, context={"type": "hybrid", "summarizer": summarizer})
    assert "secret" not in str(model.serialize())


def test_outputs_with_images_are_hidden_whole(tmp_path: Path) -> None:
    image = "<MSWEA_MULTIMODAL_CONTENT><CONTENT_TYPE>image_url</CONTENT_TYPE>data:x</MSWEA_MULTIMODAL_CONTENT>"
    from minisweagent.models.utils.openai_multimodal import DEFAULT_MULTIMODAL_REGEX

    with ScriptedModel(script(5), fence=FENCE) as server:
        template = f"{{{{output.output}}}}{image}"
        settings = {"observation_template": template, "multimodal_regex": DEFAULT_MULTIMODAL_REGEX}
        agent_of(model_of(server, MASKING, inner_class=TEXT, **settings), tmp_path).run("Fix it.")
    outputs = [message["content"] for message in sent(server)[-1].messages[3::2]]
    assert [[part["type"] for part in content] for content in outputs] == [*[["text"]] * 3, ["text", "image_url"]]
    assert "1 image" in outputs[0][0]["text"]


def replies(kind: str) -> list[dict[str, Any]]:
    """Answers for mini-swe-agent's own scripted model classes."""
    from minisweagent.models import test_models as made

    last = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
    listed: list[dict[str, Any]] = []
    for n, command in enumerate([*COMMANDS, last]):
        action = {"command": command, "tool_call_id": f"c{n}"}
        make: Any = made.make_response_api_output if "Response" in kind else made.make_output
        listed.append(make("Look.", [action]))
    return listed


@pytest.mark.parametrize("kind", ["DeterministicModel", "DeterministicResponseAPIToolcallModel"])
@pytest.mark.parametrize("context", [MASKING, {"type": "hybrid", "window": 1, "every": 3}], ids=lambda c: c["type"])
def test_other_model_classes_of_both_apis(kind: str, context: dict[str, Any], tmp_path: Path) -> None:
    outputs = replies(kind)
    name = f"minisweagent.models.test_models.{kind}"
    model = ContextModel(context=context, inner_class=name, model_name="scripted", outputs=outputs)
    asked: list[list[dict[str, Any]]] = []
    answer = model.inner.query

    def noted(messages: list[dict[str, Any]], **kwargs: Any) -> Any:
        asked.append(messages)
        return answer(messages, **kwargs)

    model.inner.query = noted
    agent = agent_of(model, tmp_path)
    assert agent.run("Fix it.")["exit_status"] == "Submitted"
    assert (agent.cost, len(asked)) == (7.0, 7)
    assert "hidden: " in str(asked[-1]) or "Digest of turns" in str(asked[-1])
    field = "output" if "Response" in kind else "content"
    shown = [message for message in asked[-1] if "hidden: " in str(message.get(field))]
    assert all(re.match(r"\[Output of ", message[field]) for message in shown)
    assert model.inner.config.outputs == outputs
    assert len([event for event in events(tmp_path) if event["event"] == "step"]) == 7
    assert "hidden: " not in str(trajectory(tmp_path)["messages"])


def test_a_model_class_of_ones_own_writes_summaries_too(tmp_path: Path) -> None:
    with ScriptedModel(script(8), summaries=[say("All of it.")]) as server:
        context = {"type": "hybrid", "window": 1, "every": 3}
        agent = agent_of(model_of(server, context, inner_class="mini_host.OwnModel"), tmp_path)
        assert agent.run("Fix it.")["exit_status"] == "Submitted"
    assert "All of it." in str(sent(server)[-1].messages)
    assert sent(server, "summary")[0].body["tools"]
    assert agent.n_calls == len(sent(server))
