"""Where cells run: threads of this process, each of which waits for a scaffold; or a Dask cluster's workers."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any, cast

from context_strategies.errors import ConfigError

SECONDS = 10
"""How long a scheduler may take to answer."""


@contextmanager
def engine_of(address: str) -> Iterator[Executor | None]:
    """The executor at ``address``: None for ``local``, a Dask client's for ``dask://host:port``. Raises ConfigError."""
    scheme, _, place = address.partition("://")
    if address == "local":
        yield None
        return
    if scheme != "dask" or not place:
        raise ConfigError(f"--engine {address}: give local, or dask://host:port")
    try:
        from distributed import Client  # noqa: PLC0415 - an extra, for this alone
    except ImportError:
        raise ConfigError("--engine dask needs: pip install 'context-strategies[dask]'") from None
    try:
        client: Any = cast("Any", Client)(f"tcp://{place}", timeout=SECONDS)  # it has no types
    except (OSError, ValueError) as error:
        raise ConfigError(f"--engine {address}: no scheduler answers there: {' '.join(str(error).split())}") from None
    with client:
        yield client.get_executor(pure=False)
