"""Which build of the package this is."""

from importlib.metadata import PackageNotFoundError, version

from context_strategies.tokens import best_counter


def built() -> tuple[str, str]:
    """What results depend on besides source and plan: this package's version (none in a bare checkout), and how tokens
    are counted.
    """
    try:
        number = version("context-strategies")
    except PackageNotFoundError:
        number = "no version"
    return number, best_counter().name
