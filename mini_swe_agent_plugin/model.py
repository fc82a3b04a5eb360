"""The model class: another one of mini-swe-agent's, asked with the strategy's context in the place of all messages."""

from collections.abc import Mapping
from typing import Any

from minisweagent.exceptions import FormatError
from minisweagent.models import get_model
from minisweagent.utils.serialize import recursive_merge

from context_strategies.errors import ConfigError
from context_strategies.events import LOG
from context_strategies.strategies import Strategy, choose, strategy_classes
from context_strategies.summarizers import Extractive
from mini_swe_agent_plugin import host, marks
from mini_swe_agent_plugin.conversation import Conversation, Conversations
from mini_swe_agent_plugin.ledger import Ledger
from mini_swe_agent_plugin.summarizer import summarizer_of
from mini_swe_agent_plugin.translate import Item

ADDED = frozenset({"set_cache_control"})
"""A setting that mini-swe-agent adds by the model's name, for classes too that have none of the kind."""


class ContextModel:
    """Wraps ``inner_class`` (a model class of mini-swe-agent, by its short name or import path; litellm's by default).

    ``context`` chooses the strategy, as :func:`context_strategies.choose` takes it: a mapping with its ``type`` and
    fields, or ``"masking:window=20"``. All other settings are the inner class's. Raises ConfigError.
    """

    def __init__(
        self, *, context: Mapping[str, Any] | str | None = None, inner_class: str = "", **settings: Any
    ) -> None:
        host.log_to_mini()
        strategy: Any = _chosen(context)
        self.strategy = strategy
        self.inner: Any = get_model(config={**settings, "model_class": inner_class})
        self.config = self.inner.config
        self.format_message = self.inner.format_message
        self.format_observation_messages = self.inner.format_observation_messages
        self.get_template_vars = self.inner.get_template_vars
        self._named = {"context": strategy.model_dump(mode="json"), "inner_class": inner_class or "litellm"}
        self._conversations = Conversations(self._conversation)
        self._conversation()  # what is wrong with the settings is raised now, and not inside a run
        self._said: set[str] = set()
        marks.extend(self.inner)
        known = getattr(type(self.config), "model_fields", settings)
        for name in sorted(set(settings) - set(known) - ADDED):
            LOG.warning("model.%s is no setting of %s; it has no effect", name, type(self.inner).__name__)

    def _conversation(self) -> Conversation:
        prices = host.prices_of(self.inner)
        ledger = Ledger(Extractive())
        ledger.fresh = summarizer_of(self.strategy, self.inner, prices.limit, ledger.charge) or ledger.fresh
        return Conversation(self.strategy, host.terms_of(self.strategy, self.inner, prices), ledger)

    def query(self, messages: list[Item], **kwargs: Any) -> Item:
        """The inner model's reply to the strategy's context for ``messages``, which stay as they are.

        A request that the model refuses as too long is made again with half of it, until nothing more can go. Raises
        what the inner model raises.
        """
        conversation = self._conversations.of(messages)
        while True:
            try:
                reply: Item = self.inner.query(conversation.request(messages), **kwargs)
            except FormatError as error:
                first, *rest = error.messages
                error.messages = (conversation.ledger.settle(first), *rest)
                raise
            except Exception as error:
                if not (host.too_long(error) and conversation.shrink()):
                    raise
            else:
                return conversation.ledger.settle(reply)

    def serialize(self) -> dict[str, Any]:
        """The inner model's part of a trajectory, with the strategy, and what it has done for the agent that is saved.

        Events go into a file beside the trajectory.
        """
        name = f"{type(self).__module__}.{type(self).__name__}"
        info: dict[str, Any] = {"config": {"model": self._named, "model_type": name}}
        messages, path = host.saving(self)
        conversation = self._conversations.known(messages)
        if conversation:
            info["context"] = conversation.totals()
            if path:
                self._say(host.write(conversation.events, path))
        serialized: dict[str, Any] = recursive_merge(self.inner.serialize(), {"info": info})
        return serialized

    def _say(self, problem: str) -> None:
        """Warn, once of each problem."""
        if problem and problem not in self._said:
            self._said.add(problem)
            LOG.warning("%s", problem)


def _chosen(context: Mapping[str, Any] | str | None) -> Strategy:
    if not context:
        names = ", ".join(strategy_classes())
        raise ConfigError(f"model.context is missing; name a strategy, as in {{type: masking}}: one of {names}")
    try:
        return choose(context)
    except ConfigError as error:
        raise ConfigError(f"model.context: {error}") from None
