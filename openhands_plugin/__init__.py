"""OpenHands condensers that stand on ``context_strategies``. None is here yet."""
