"""What this package raises on purpose; every message is one line that says what was wrong and what would be right."""


class ConfigError(ValueError):
    """A strategy, field or value that is not known or not valid."""
