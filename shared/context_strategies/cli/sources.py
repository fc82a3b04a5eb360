"""The recorded runs that arguments name."""

from pathlib import Path

from context_strategies.errors import ConfigError
from context_strategies.trajectories import Refusal, Source, find


def sources(paths: list[Path]) -> list[Source | Refusal]:
    """What there is to read under ``paths``, all of which must exist: a ConfigError where one does not."""
    missing = [path for path in paths if not path.exists()]
    if missing:
        raise ConfigError(f"{missing[0]}: no such file or folder")
    return find(paths)
