"""A condenser config for each strategy, made of the strategy's own model: same names, fields, defaults and help."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

import yaml
from openhands.core.config.condenser_config import CondenserPipelineConfig, NoOpCondenserConfig
from pydantic import Field, create_model

from context_strategies.errors import ConfigError
from context_strategies.strategies import Settings, Strategy, Summarized, choose

Value = str | int | float | bool | list[Any] | dict[str, Any] | None
"""What TOML and the environment can hold. OpenHands casts an environment variable to the first of these; what checks it
is the strategy's own model."""

LLM_CONFIG = "The [llm.NAME] section whose model writes the summaries where summarizer is host; without it the agent's."


class StrategyConfig(NoOpCondenserConfig):
    """Base of the configs: one of OpenHands' own classes, since its agent configs take nothing else."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Take what an environment variable says, as OpenHands hands it on; a wrong one stops the program."""
        try:
            checked({**fields_of(self), name: value}, str(self.type))
        except ConfigError as error:
            structured = _structured(value)
            if structured is value:
                raise SystemExit(f"CONDENSER_{name.upper()}: {error}") from None
            self.__setattr__(name, structured)
        else:
            super().__setattr__(name, value)


def _structured(value: object) -> object:
    """A list, mapping or null that is written as text; anything else as it is."""
    try:
        loaded = yaml.safe_load(value) if isinstance(value, str) else value
    except yaml.YAMLError:
        return value
    return loaded if loaded is None or isinstance(loaded, dict | list) else value


def _nulled(value: object) -> object:
    """``value`` with None for the word null, which TOML has nothing else for."""
    if isinstance(value, Mapping):
        return {name: _nulled(one) for name, one in value.items()}
    return None if value == "null" else value


def make(kind: str, data: Mapping[str, Any]) -> StrategyConfig:
    """The config for ``type = kind`` with the fields in ``data``; raises ConfigError for a wrong one."""
    fields = {name: _nulled(value) for name, value in data.items() if name != "type"}
    strategy: Any = checked(fields, kind)
    cls: type[Settings] = type(strategy)
    made: StrategyConfig = config_class(kind, cls)(**fields)
    return made


def checked(fields: Mapping[str, Any], kind: str) -> Strategy:
    """The strategy ``kind`` with ``fields``; raises ConfigError. Only one that summarizes takes ``llm_config``."""
    own = {name: value for name, value in fields.items() if name != "llm_config"}
    strategy = choose({**own, "type": kind})
    llm_config = fields.get("llm_config")
    if llm_config is None:
        return strategy
    if not isinstance(strategy, Summarized):
        raise ConfigError(f'strategy {kind} has no field "llm_config": it writes no summaries')
    if not isinstance(llm_config, str):
        raise ConfigError(f"strategy {kind}: llm_config={llm_config!r} is not the name of an [llm.NAME] section")
    return strategy


def fields_of(config: StrategyConfig) -> dict[str, Any]:
    """What is set in ``config``, its type left out."""
    fields: dict[str, Any] = config.model_dump(exclude={"type"}, exclude_unset=True)
    return fields


def strategy_of(config: StrategyConfig) -> Strategy:
    """The strategy that ``config`` describes; raises ConfigError."""
    return checked(fields_of(config), str(config.type))


@cache
def config_class(kind: str, strategy: type[Settings]) -> type[StrategyConfig]:
    """The config model for the strategies of class ``strategy``, chosen as ``type = kind``."""
    fields: dict[str, Any] = {"type": (Literal[kind], kind)}
    for name, field in strategy.model_fields.items():
        if name != "type":
            default = field.get_default(call_default_factory=True)
            default = list(default) if isinstance(default, tuple) else default
            fields[name] = (Value, Field(default=default, description=field.description))
    if issubclass(strategy, Summarized):
        fields["llm_config"] = (str | None, Field(default=None, description=LLM_CONFIG))
    made: type[StrategyConfig] = create_model(
        f"{strategy.__name__}CondenserConfig", __base__=StrategyConfig, __doc__=strategy.__doc__, **fields
    )
    return made


def ours_in(config: object) -> list[StrategyConfig]:
    """The configs of ours: ``config`` itself, or those in a pipeline."""
    if isinstance(config, StrategyConfig):
        return [config]
    inner = config.condensers if isinstance(config, CondenserPipelineConfig) else ()
    return [ours for part in inner for ours in ours_in(part)]
