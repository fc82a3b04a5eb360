"""Recorded runs of every format that is known, as trajectories."""

from context_strategies.trajectories.folders import Source
from context_strategies.trajectories.load import find, load, read
from context_strategies.trajectories.model import Call, Refusal, Trajectory

__all__ = ["Call", "Refusal", "Source", "Trajectory", "find", "load", "read"]
