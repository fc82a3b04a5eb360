"""What this package raises on purpose; every message is one line that says what was wrong and what would be right."""

from context_strategies.fields import printable


class ConfigError(ValueError):
    """A strategy, field or value that is not known or not valid."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))
