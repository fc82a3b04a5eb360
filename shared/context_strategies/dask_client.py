"""A client of a Dask cluster whose workers come to the results that this process would."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from context_strategies.errors import ConfigError
from context_strategies.fields import reason
from context_strategies.version import built

DASK = "dask://"
ADDRESS = re.compile(r"([\w.-]+|\[[0-9a-fA-F:.]+\]):\d{1,5}")
PATIENCE = 10
"""Seconds to wait for a scheduler, for its first worker, and for the client to close."""


def address_of(engine: str) -> str | None:
    """The address of the cluster that ``dask://HOST:PORT`` names, None for ``local``; raises ConfigError."""
    if engine == "local":
        return None
    if engine.startswith(DASK):
        return engine.removeprefix(DASK)
    raise ConfigError(f"--engine {engine}: choose one of: local, {DASK}HOST:PORT")


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the scheduler that listens at ``address`` (``HOST:PORT``), while the block lasts.

    Raises ConfigError where there is none, where no worker comes, and where one is built in another way than this
    process.
    """
    client = _client(address)
    try:
        _check_workers(client, address)
        yield client
    finally:
        client.close(timeout=PATIENCE)


def wrong(address: str, why: str) -> ConfigError:
    """The error that says what is wrong with the cluster at ``address``."""
    return ConfigError(f"--engine {DASK}{address}: {why}")


def _client(address: str) -> Any:
    try:
        import distributed  # noqa: PLC0415 - an extra
    except ImportError:
        raise wrong(address, "Dask is not installed: pip install 'context-strategies[dask]'") from None
    if not ADDRESS.fullmatch(address):
        raise wrong(address, "not HOST:PORT")
    for name in ("distributed", "distributed.client"):  # whose levels its import has set
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what is wrong is said here, in one line
    connect: Any = distributed.Client  # which, like its methods, has no types
    try:
        return connect(f"tcp://{address}", timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise wrong(address, f"no scheduler there: {reason(error)}") from error


def _check_workers(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
        workers = client.run(built)
    except TimeoutError:
        raise wrong(address, f"no worker came within {PATIENCE} seconds") from None
    except Exception as error:  # Dask raises many kinds, and plain ones
        raise wrong(address, f"the cluster failed: {reason(error)}") from error
    here = built()
    for worker, theirs in workers.items():
        if theirs != here:
            raise wrong(address, f"{worker} has {', '.join(theirs)}; here: {', '.join(here)}")
