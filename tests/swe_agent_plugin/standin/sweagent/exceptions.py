"""What a model client raises."""


class ContextWindowExceededError(Exception):
    """The prompt is too long."""


class InstanceCallLimitExceededError(Exception):
    """Too many calls."""
