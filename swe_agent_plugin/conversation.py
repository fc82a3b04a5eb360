"""One agent's conversation, as its history processor sees it: the whole history, again and again."""

from typing import Any, Self

from context_strategies.events import LOG
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
        self._thread: Thread | None = None
        self._failed = False

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return type(self)()

    def __call__(self, strategy: Strategy, items: list[Item]) -> list[Item]:
        """The items to send in the place of ``items``: all of them, from the first error on. Never raises."""
        if self._failed:
            return items
        try:
            if self._thread is None:
                self._thread = _thread(strategy)
            return self._thread.request(items)
        except Exception as error:  # noqa: BLE001 - never fatal: SWE-agent would end the run without a submission
            self._failed = True
            LOG.warning("%s; instead: nothing is hidden from here on", type(error).__name__, exc_info=True)
            return items


def _thread(strategy: Strategy) -> "Thread":
    host.log_to_sweagent()
    agent: Any = host.calling_agent(strategy)
    terms = host.terms_of(strategy, agent)
    marks = None
    if host.marks_prompts(agent):
        marks = SettledMarks()
        agent.history_processors.append(marks)  # the loop over the chain that has begun reaches it too
    session = Session(strategy, terms, summarizer_of(strategy, agent, terms), host.record_of(agent))
    return Thread(session, marks)


class Thread:
    """A session and the items it has been fed: each new one once, at a cost that does not depend on those before."""

    def __init__(self, session: Session, marks: SettledMarks | None) -> None:
        self._session = session
        self._marks = marks
        self._begin()

    def _begin(self) -> None:
        self._items: list[Item] = []
        self._translate = ItemTranslator()
        self._render = Renderer(marks=self._marks is not None)

    def request(self, items: list[Item]) -> list[Item]:
        """The items to send in the place of ``items``; those that do not go on from the last ones begin anew."""
        session = self._session
        if not continues(self._items, items, session.history):
            session.restart()
            self._begin()
        known = len(self._items)
        session.feed([self._translate(item, known + place) for place, item in enumerate(items[known:])])
        self._items = list(items)
        context = session.context()
        request = self._render(context, items)
        if self._marks:
            self._marks.expect(request, context.marked_parts)
        return request
