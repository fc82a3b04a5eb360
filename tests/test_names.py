"""One name for one thing: strategies and fields are the same in the core, the adapters, the configs and the docs."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from context_strategies import choose, strategy_classes
from context_strategies.compare.config_lines import KINDS

ROOT = Path(__file__).resolve().parents[1]
CONFIGS = ROOT / "configs"
OF_THE_HOST = {"llm", "llm_config", "events"}
"""Fields that an adapter adds: a client of the host's, and where to write."""


def named(path: Path) -> list[dict[str, Any] | str]:
    """The strategies that a ready config names."""
    if path.suffix == ".yaml":
        content = yaml.safe_load(path.read_text())
        if "model" in content:
            return [content["model"]["context"]]
        chain = content["agent"]["history_processors"]
        return [link for link in chain if link["type"] in strategy_classes()]
    if path.suffix == ".toml":
        condenser = tomllib.loads(path.read_text())["condenser"]
        parts = condenser.get("condensers", [condenser])
        return [part for part in parts if part["type"] in strategy_classes()]
    condenser = json.loads(path.read_text())["condenser"]
    parts = condenser.get("condensers", [condenser])
    types = {kind: name for name, kind in KINDS.items()}
    found = [{**part, "type": types[part["kind"]]} for part in parts if part["kind"] in types]
    return [*found, *([condenser["strategy"]] if "strategy" in condenser else [])]


def own(entry: dict[str, Any]) -> dict[str, Any]:
    """A strategy's own fields."""
    return {key: value for key, value in entry.items() if key not in {*OF_THE_HOST, "kind"}}


@pytest.mark.parametrize("path", sorted(CONFIGS.rglob("*.[yjt]*")), ids=lambda path: str(path.relative_to(CONFIGS)))
def test_a_ready_config_uses_the_cores_names(path: Path) -> None:
    found = named(path)
    assert found
    for entry in found:
        choose(entry if isinstance(entry, str) else own(entry))


def test_swe_agents_processors_have_the_cores_fields() -> None:
    from swe_agent_plugin.processors import processor_classes

    for name, cls in strategy_classes().items():
        theirs = processor_classes()[name].model_fields
        assert {field: info.default for field, info in theirs.items()} == {
            field: info.default for field, info in cls.model_fields.items()
        }
        assert all(theirs[field].description == info.description for field, info in cls.model_fields.items())


def test_the_sdks_condensers_have_the_cores_fields() -> None:
    pytest.importorskip("openhands.sdk", reason="the OpenHands SDK is not in this environment")
    from openhands_plugin import v1

    assert set(KINDS) == set(strategy_classes()) - {"raw"}
    for name, kind in KINDS.items():
        theirs = getattr(v1, kind).model_fields
        ours = strategy_classes()[name].model_fields
        assert set(theirs) - set(ours) <= OF_THE_HOST
        assert all(theirs[field].default == info.default for field, info in ours.items())


def test_the_readme_lists_every_strategy() -> None:
    table = (ROOT / "README.md").read_text().partition("## Strategies")[2]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) - {"type"} == set(strategy_classes())
