"""Making the strategies known to OpenHands, beside its own condensers.

OpenHands looks condenser types up in a table inside one function. To a type that is not there, and to a wrong field, it
answers with a warning and no condenser at all: a run that was to be cheap is not. Here either stops the program.
"""

from collections.abc import Mapping
from typing import Any, get_args

from openhands.agenthub.codeact_agent import CodeActAgent
from openhands.core.config import condenser_config, utils
from openhands.core.config.agent_config import AgentConfig
from openhands.core.config.condenser_config import CondenserPipelineConfig, ConversationWindowCondenserConfig
from openhands.core.config.openhands_config import OpenHandsConfig
from openhands.memory.condenser.condenser import CONDENSER_REGISTRY

from context_strategies.errors import ConfigError
from context_strategies.events import LOG
from context_strategies.strategies import strategy_classes
from openhands_plugin.v0 import config, marks
from openhands_plugin.v0.condenser import StrategyCondenser, StrategyPipeline

create_theirs = condenser_config.create_condenser_config
finalize_theirs = utils.finalize_config
validate_theirs = AgentConfig.model_validate


def register() -> None:
    """Make the strategies valid condenser types; a second call changes nothing."""
    condenser_config.create_condenser_config = create
    utils.create_condenser_config = create
    utils.finalize_config = finalize
    AgentConfig.model_validate = classmethod(validate)
    CONDENSER_REGISTRY[CondenserPipelineConfig] = StrategyPipeline
    marks.extend(CodeActAgent)


def create(condenser_type: str, data: Mapping[str, Any]) -> Any:
    """The config for a ``[condenser]`` section of this type, ours or OpenHands'; a wrong one stops the program.

    ``[condenser.NAME]`` sections, which ``EVAL_CONDENSER`` chooses from, are no fields of ``[condenser]`` itself.
    """
    fields = {name: value for name, value in data.items() if not (isinstance(value, dict) and "type" in value)}
    try:
        return _created(condenser_type, fields)
    except ValueError as error:  # ConfigError, or OpenHands' own over several lines
        reason = " ".join(str(error).split())
        raise SystemExit(f"OpenHands config, condenser of type {condenser_type}: {reason}") from None


def _created(kind: str, fields: dict[str, Any]) -> Any:
    if kind == "pipeline":
        inner = [create(str(part.get("type", "")), part) for part in fields.get("condensers", [])]
        return create_theirs(kind, {**fields, "condensers": inner})
    if kind in _their_types():
        return create_theirs(kind, fields)
    if kind not in strategy_classes() and ":" not in kind:
        valid = ", ".join([*strategy_classes(), *_their_types()])
        raise ConfigError(f'unknown type "{kind}"; choose one of: {valid}, or module:Class')
    made = config.make(kind, fields)
    CONDENSER_REGISTRY[type(made)] = StrategyCondenser
    return made


def _their_types() -> list[str]:
    return [cls.model_fields["type"].default for cls in get_args(condenser_config.CondenserConfig)]


def validate(cls: type[AgentConfig], data: Any, /, **kwargs: Any) -> AgentConfig:
    """An agent's config; in its section, too, a condenser may be ours: ``[agent.NAME.condenser]``."""
    chosen = data.get("condenser") if isinstance(data, Mapping) else None
    if isinstance(chosen, Mapping):
        data = {**data, "condenser": create(str(chosen.get("type", "")), chosen)}
    return validate_theirs.__func__(cls, data, **kwargs)


def finalize(cfg: OpenHandsConfig) -> None:
    """OpenHands' own, and then: ``[condenser]`` holds for agents with a section of their own, too.

    OpenHands ignores it for an agent with an ``[agent.NAME]`` section, without a word.
    """
    finalize_theirs(cfg)
    chosen = cfg.get_agent_config().condenser
    if not config.ours_in(chosen):
        return
    for name, agent in cfg.agents.items():
        if agent.condenser == ConversationWindowCondenserConfig():
            agent.condenser = chosen
            if not (agent.classpath or "").startswith("openhands_plugin."):
                LOG.warning("[condenser] holds for [agent.%s], too; OpenHands alone would ignore it there", name)
    for ours in (ours for agent in cfg.agents.values() for ours in config.ours_in(agent.condenser)):
        wanted = getattr(ours, "llm_config", None)
        if wanted and wanted not in cfg.llms:
            raise SystemExit(f'OpenHands config, llm_config="{wanted}": there is no [llm.{wanted}]')
