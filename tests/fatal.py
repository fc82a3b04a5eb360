"""A strategy that ends or hangs the process it runs in. A module of its own, since new processes import it."""

import os
import signal
import time

from context_strategies.context import Context
from context_strategies.history import History
from context_strategies.strategies.base import State
from context_strategies.strategies.raw import Raw


class Fatal(Raw):
    """What no strategy may do, where the first message asks for it."""

    def render(self, state: State, history: History) -> Context:
        """Raw's context, unless the message says otherwise."""
        if "DIE" in history[0].text:
            os.kill(os.getpid(), signal.SIGKILL)
        if "HANG" in history[0].text:
            time.sleep(3600)
        return super().render(state, history)
