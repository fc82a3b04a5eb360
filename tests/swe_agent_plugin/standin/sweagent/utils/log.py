"""Stand-in."""

import logging


def get_logger(name: str, *, emoji: str = "") -> logging.Logger:
    """The logger of that name."""
    return logging.getLogger(f"{name}{emoji and ''}")
