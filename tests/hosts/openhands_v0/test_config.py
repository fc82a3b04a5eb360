"""What may stand in ``config.toml``, and how a mistake is told."""

import os
from typing import Any

import pytest

from context_strategies.strategies import strategy_classes
from openhands_v0_runs import BIG, FINISH, OpenHands, shown


def condenser_of(config: Any, agent: str = "CodeActAgent") -> Any:
    return config.get_agent_config(agent).condenser


@pytest.mark.parametrize("name", list(strategy_classes()))
def test_names_fields_defaults_and_help_are_the_strategys_own(openhands: OpenHands, name: str) -> None:
    condenser = condenser_of(openhands.load(f'[condenser]\ntype = "{name}"'))
    strategy = strategy_classes()[name]
    fields = {key: field for key, field in type(condenser).model_fields.items() if key != "llm_config"}
    assert {key: field.description for key, field in fields.items()} == {
        key: field.description for key, field in strategy.model_fields.items()
    }
    defaults = condenser.model_dump(exclude={"llm_config"})
    assert strategy.model_validate(defaults) == strategy()


@pytest.mark.parametrize(
    ("section", "told"),
    [
        ('type = "maskin"', 'unknown type "maskin"; choose one of: raw, masking'),
        ('type = "masking"\nwindw = 3', 'no field "windw"; valid fields: max_tokens'),
        ('type = "masking"\nwindow = -1', "window=-1 is not valid"),
        ('type = "masking"\nllm_config = "x"', "it writes no summaries"),
        ('type = "hybrid"\nllm_config = "x"', "there is no [llm.x]"),
        ('type = "recent"\nmax_event = 3', "max_event"),
        ('type = "pipeline"\ncondensers = [{type = "masking"}, {type = "nope"}]', 'unknown type "nope"'),
    ],
)
def test_a_mistake_stops_the_program_and_is_named(openhands: OpenHands, section: str, told: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        openhands.load(f"[condenser]\n{section}")
    assert told in str(stopped.value)
    assert "\n" not in str(stopped.value)


def test_the_environment_overrides_fields(openhands: OpenHands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDENSER_WINDOW", "3")
    monkeypatch.setenv("CONDENSER_REFRESH", "1")
    ours = openhands.run('[condenser]\ntype = "masking"\nwindow = 7', [*BIG[:8], FINISH])
    assert sum("hidden" in text for _, text in shown(ours.requests[-1])) == 5


def test_a_mistake_in_the_environment_stops_the_program(openhands: OpenHands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDENSER_REFRESH", "sometimes")
    with pytest.raises(SystemExit, match="CONDENSER_REFRESH: strategy masking"):
        openhands.load('[condenser]\ntype = "masking"')


def test_the_environment_may_hold_a_mapping(openhands: OpenHands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDENSER_REFRESH", "{min_tokens: 500}")
    assert condenser_of(openhands.load('[condenser]\ntype = "masking"')).refresh == {"min_tokens": 500}


def test_an_agents_own_section_no_longer_hides_the_condenser(
    openhands: OpenHands, caplog: pytest.LogCaptureFixture
) -> None:
    config = openhands.load('[agent.CodeActAgent]\nenable_browsing = false\n[condenser]\ntype = "masking"\nwindow = 7')
    assert condenser_of(config).window == 7
    assert "[condenser] holds for [agent.CodeActAgent], too" in caplog.text


def test_an_agent_may_have_its_own(openhands: OpenHands) -> None:
    own = '[agent.CodeActAgent.condenser]\ntype = "masking"\nwindow = 3\n[condenser]\ntype = "masking"\nwindow = 7'
    config = openhands.load(own)
    assert condenser_of(config).window == 3
    assert condenser_of(config, "BrowsingAgent").window == 7


def test_named_sections_are_for_evaluations(openhands: OpenHands) -> None:
    from openhands.core.config import utils

    section = '[condenser]\ntype = "raw"\n[condenser.small]\ntype = "masking"\nwindow = 4'
    assert condenser_of(openhands.load(section)).type == "raw"
    chosen = utils.get_condenser_config_arg("small", str(openhands.folder / "config.toml"))
    assert (chosen.type, chosen.window) == ("masking", 4)


def test_a_strategy_by_its_path_and_null(openhands: OpenHands) -> None:
    path = "context_strategies.strategies.masking:Masking"
    condenser = condenser_of(openhands.load(f'[condenser]\ntype = "{path}"\nmax_tokens = "null"'))
    assert (condenser.type, condenser.max_tokens) == (path, None)


def test_null_may_stand_in_a_table(openhands: OpenHands) -> None:
    section = '[condenser]\ntype = "hybrid"\nsummarizer = {model = "openai/x", temperature = "null"}'
    assert condenser_of(openhands.load(section)).summarizer["temperature"] is None


def test_openhands_own_types_still_work(openhands: OpenHands) -> None:
    assert condenser_of(openhands.load('[condenser]\ntype = "recent"\nmax_events = 30')).max_events == 30
    assert not [name for name in os.environ if name.startswith("CONDENSER_")]
