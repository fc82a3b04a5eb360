"""Following a host's list of messages, which it shows whole again and again."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from context_strategies.context import Context
from context_strategies.history import History, Message
from context_strategies.session import Session

Item = TypeVar("Item")
Translate = Callable[[Item, int], Message]
Continues = Callable[[Sequence[Item], Sequence[Item], History], bool]


def begins_with(known: Sequence[Item], items: Sequence[Item], _history: History) -> bool:
    """Whether ``items`` are ``known`` and perhaps more."""
    return list(items[: len(known)]) == known


class Follower(Generic[Item]):
    """A session and the items it has been fed, each once.

    ``begin`` gives what translates the items of a new conversation, one after the other, with their places.
    ``continues`` says whether a list goes on from the items known, which the history was made of; one that does not is
    a new conversation.
    """

    def __init__(
        self, session: Session, begin: Callable[[], Translate[Item]], continues: Continues[Item] = begins_with
    ) -> None:
        self.session = session
        self._begin = begin
        self._continues = continues
        self._start()

    def _start(self) -> None:
        self.items: list[Item] = []
        self._translate = self._begin()

    def goes_on(self, items: Sequence[Item]) -> bool:
        """Whether ``items`` are those seen so far and perhaps more."""
        return self._continues(self.items, items, self.session.history)

    def __call__(self, items: Sequence[Item]) -> Context:
        """The context of the request that the host would make of ``items``. Raises what translating them raises."""
        if not self.goes_on(items):
            self.session.restart()
            self._start()
        known = len(self.items)
        self.session.feed([self._translate(item, known + place) for place, item in enumerate(items[known:])])
        self.items = list(items)
        return self.session.context()
