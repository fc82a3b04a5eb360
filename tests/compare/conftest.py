"""A run small enough to try everything on."""

import pytest

from context_strategies.history import History, Kind, Message
from context_strategies.prices import Usage
from context_strategies.replay import Weighed, weigh
from context_strategies.tokens import Counter
from context_strategies.trajectories import Call, Trajectory


@pytest.fixture
def synthetic_run() -> Weighed:
    """Ten turns of uneven outputs, counted in words."""
    messages = [Message(Kind.SYSTEM, "word " * 40)]
    for size in (30, 90, 5, 60, 200, 10, 45, 80, 33, 70):
        messages.append(Message(Kind.ACTION, "word " * 8, call_ids=("c",)))
        messages.append(Message(Kind.OBSERVATION, "word " * size, call_ids=("c",), command="run"))
    calls = tuple(Call(1 + 2 * turn, Usage(1, output=8)) for turn in range(11))
    counter = Counter("words", lambda texts: [len(text.split()) for text in texts])
    return weigh(Trajectory("synthetic", "synthetic", "test", "m", History(messages), calls), counter)
