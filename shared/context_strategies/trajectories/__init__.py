"""Recorded runs of every format that is known, as trajectories."""

from context_strategies.trajectories.folders import Source
from context_strategies.trajectories.load import find, load, read
from context_strategies.trajectories.model import Call, Refusal, Totals, Trajectory

__all__ = ["Call", "Refusal", "Source", "Totals", "Trajectory", "find", "load", "read"]
