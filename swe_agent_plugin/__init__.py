"""SWE-agent history processors that stand on ``context_strategies``. None is here yet."""
