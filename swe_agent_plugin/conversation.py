"""One agent's conversation, as its history processor sees it: the whole history, again and again."""

from typing import Any, Self

from context_strategies.events import LOG
from context_strategies.follower import Follower
from context_strategies.session import Session
from context_strategies.strategies import Strategy
from swe_agent_plugin import host
from swe_agent_plugin.apply import Renderer
from swe_agent_plugin.marks import SettledMarks
from swe_agent_plugin.summarizer import summarizer_of
from swe_agent_plugin.translate import Item, ItemTranslator, continues


class Conversation:
    """Follows one agent. A copy starts empty: SWE-agent copies a configuration for each agent it makes of it."""

    def __init__(self) -> None:
        self._requests: Requests | None = None
        self._failed = False

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return type(self)()

    def __call__(self, strategy: Strategy, items: list[Item]) -> list[Item]:
        """The items to send in the place of ``items``: all of them, from the first error on. Never raises."""
        if self._failed:
            return items
        try:
            if self._requests is None:
                self._requests = _requests(strategy)
            return self._requests(items)
        except Exception as error:  # noqa: BLE001 - never fatal: SWE-agent would end the run without a submission
            self._failed = True
            LOG.warning("%s; instead: nothing is hidden from here on", type(error).__name__, exc_info=True)
            return items


def _requests(strategy: Strategy) -> "Requests":
    host.log_to_sweagent()
    agent: Any = host.calling_agent(strategy)
    prices = host.prices_of(agent)
    marks = None
    if host.marks_prompts(agent):
        marks = SettledMarks()
        agent.history_processors.append(marks)  # the loop over the chain that has begun reaches it too
    summarizer = summarizer_of(strategy, agent, prices.limit)
    session = Session(strategy, host.terms_of(strategy, agent, prices), summarizer, host.record_of(agent))
    return Requests(session, marks)


class Requests:
    """The requests of one conversation, as SWE-agent's items; ``marks`` is told where to set cache marks."""

    def __init__(self, session: Session, marks: SettledMarks | None) -> None:
        self._marks = marks
        self._follow = Follower[Item](session, self._begin, continues)

    def _begin(self) -> ItemTranslator:
        self._render = Renderer(marks=self._marks is not None)
        return ItemTranslator()

    def __call__(self, items: list[Item]) -> list[Item]:
        """The items to send in the place of ``items``."""
        context = self._follow(items)
        request = self._render(context, items)
        if self._marks:
            self._marks.expect(request, context.marked_parts)
        return request
