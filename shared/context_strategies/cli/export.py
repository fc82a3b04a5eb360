"""Recorded runs of any format written in one that other tools read."""

import re
from pathlib import Path
from typing import Annotated

import typer

from context_strategies.cli.ends import SOME_FAILED, warn
from context_strategies.cli.options import Paths
from context_strategies.compare.writing import another, write
from context_strategies.errors import ConfigError

FORMATS = ("atif",)


def export(
    paths: Paths,
    form: Annotated[str, typer.Option("--format", help="The format to write: atif (version 1.7).")] = "atif",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write a file a run there, instead of a line a run.")
    ] = None,
) -> None:
    """Recorded runs as ATIF, Harbor's interchange format: a line of JSON a run, or with --out a file a run."""
    from context_strategies.cli.sources import sources  # noqa: PLC0415 - loaded when used
    from context_strategies.trajectories import Refusal, load  # noqa: PLC0415
    from context_strategies.trajectories.atif_export import written  # noqa: PLC0415

    if form not in FORMATS:
        raise ConfigError(f"--format {form}: choose one of: {', '.join(FORMATS)}")
    names, done, refused = dict[str, int](), 0, False
    for result in (result for source in sources(paths) for result in load(source)):
        line = result if isinstance(result, Refusal) else written(result)
        if isinstance(line, Refusal) or isinstance(result, Refusal):
            warn(str(line))
            refused = True
            continue
        done += 1
        if out is None:
            typer.echo(line)
        else:
            write(out / f"{another(_name(result.id), names, '-')}.atif.json", f"{line}\n")
    if not done:
        raise ConfigError("nothing to export: no recorded run was found")
    if out is not None:
        warn(f"{done} written to {out}")
    if refused:
        raise typer.Exit(SOME_FAILED)


def _name(run_id: str) -> str:
    """``run_id`` as the name of a file: no separators, no leading dots, of bounded length."""
    return re.sub(r"[^\w.#-]+", "_", run_id).lstrip(".")[:100] or "run"
