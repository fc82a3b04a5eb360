"""How a command ends: exit codes, and lines on standard error."""

import sys
from collections.abc import Callable
from functools import wraps
from typing import NoReturn, ParamSpec

import typer

from context_strategies.errors import ConfigError
from context_strategies.fields import printable

SOME_FAILED, USAGE = 1, 2

P = ParamSpec("P")


def ended(command: Callable[P, None]) -> Callable[P, None]:
    """``command``, which a ConfigError ends: nothing could be done."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except ConfigError as error:
            stop(str(error))

    return run


def warn(line: str) -> None:
    """One line on standard error, whatever it holds."""
    sys.stderr.write(f"{printable(line)}\n")


def stop(line: str) -> NoReturn:
    """End: nothing could be done."""
    warn(f"context-strategies: {line}")
    raise typer.Exit(USAGE)
