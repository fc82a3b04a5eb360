import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from context_strategies.strategies import strategy_classes
from swe_agent_plugin import processors
from swe_agent_plugin.register import register

MASKING = {"type": "masking", "window": 3, "refresh": {"min_tokens": 9}, "keep_tags": ["a"]}


def config_of(chain: list[dict[str, Any]]) -> Any:
    return import_module("sweagent.agent.agents").DefaultAgentConfig.model_validate({"history_processors": chain})


@pytest.mark.usefixtures("standin")
@pytest.mark.parametrize("late", [False, True])
def test_every_configuration_takes_the_types_beside_sweagents_own(*, late: bool) -> None:
    if late:
        import_module("sweagent.run.run_single")
    register()
    one = {"history_processors": [{"type": "cache_control"}, MASKING]}
    run = import_module("sweagent.run.run_single").RunSingleConfig
    for agent in (one, {"type": "retry", "agent_configs": [one]}):
        dumped = run.model_validate({"agent": agent}).model_dump()["agent"]
        chain = dumped.get("agent_configs", [dumped])[0]["history_processors"]
        assert [link["type"] for link in chain] == ["cache_control", "masking"]
        assert chain[1]["window"] == 3


@pytest.mark.usefixtures("standin")
def test_a_second_call_changes_nothing() -> None:
    register()
    union = import_module("sweagent.agent.history_processors").HistoryProcessor
    register()
    assert import_module("sweagent.agent.history_processors").HistoryProcessor is union


@pytest.mark.usefixtures("standin")
@pytest.mark.parametrize("name", strategy_classes())
def test_dump_and_reload(name: str) -> None:
    register()
    dumped = config_of([{"type": name}]).model_dump()
    for again in (yaml.safe_load(yaml.dump(dumped)), json.loads(json.dumps(dumped))):
        assert config_of(again["history_processors"]).model_dump() == dumped


@pytest.mark.usefixtures("standin")
def test_a_summarizers_key_is_in_no_dump() -> None:
    register()
    summarizer = {"model": "gpt-4o-mini", "api_key": "secret"}
    (link,) = config_of([{"type": "hybrid", "summarizer": summarizer}]).history_processors
    assert link.summarizer.api_key == "secret"
    assert "secret" not in link.model_dump_json()


@pytest.mark.usefixtures("standin")
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"type": "masking", "windows": 3}, 'strategy masking has no field "windows"; valid fields: '),
        ({"type": "masking", "window": -1}, "strategy masking: window=-1 is not valid: "),
        ({"type": "mask"}, 'unknown type "mask"; choose one of: cache_control, default, raw, masking, '),
        ({"window": 3}, "each needs a type; choose one of: "),
    ],
)
def test_a_wrong_one_stops_the_program_in_one_line(wrong: Any, said: str) -> None:
    register()
    with pytest.raises(SystemExit) as stopped:
        config_of([wrong])
    assert str(stopped.value).startswith(f"SWE-agent config, agent.history_processors: {said}")
    assert "\n" not in str(stopped.value)


@pytest.mark.usefixtures("standin")
@pytest.mark.parametrize("wrong", [{"type": "cache_control", "last": 3}, "masking"])
def test_what_is_wrong_with_sweagents_own_types_or_is_text_is_left_to_it(wrong: Any) -> None:
    register()
    with pytest.raises(ValidationError, match="history_processors"):
        config_of([wrong])


@pytest.mark.parametrize("name", strategy_classes())
def test_fields_defaults_and_help_are_the_strategys(name: str) -> None:
    ours, strategy = processors.processor_classes()[name], strategy_classes()[name]
    assert list(ours.model_fields) == list(strategy.model_fields)
    for field, info in strategy.model_fields.items():
        assert ours.model_fields[field].default == info.default
        assert ours.model_fields[field].description == info.description
    assert ours.__doc__ == strategy.__doc__
    assert getattr(processors, name) is getattr(processors, ours.__name__) is ours


CONFIGS = sorted((Path(__file__).resolve().parents[2] / "configs" / "swe_agent").glob("*.yaml"))


@pytest.mark.usefixtures("standin")
@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_shipped_configs_are_valid_and_keep_sweagents_marks(path: Path) -> None:
    register()
    chain = config_of(
        yaml.safe_load(path.read_text(encoding="utf-8"))["agent"]["history_processors"]
    ).history_processors
    assert [link.type for link in chain[1:]] == ["cache_control"]


def test_configs_are_shipped() -> None:
    assert len(CONFIGS) == 6
    assert "sweagent" not in sys.modules
