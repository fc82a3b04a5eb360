"""Stand-in."""

from dataclasses import dataclass


@dataclass
class ToolConfig:
    """What a model client is told of the tools."""

    parse_function: object
