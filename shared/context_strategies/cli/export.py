"""Recorded runs of any format written in one that other tools read."""

import re
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from context_strategies.cli.options import Paths

FORMATS = ("atif",)


def export(
    paths: Paths,
    form: Annotated[str, typer.Option("--format", help="The format to write: atif (version 1.7).")] = "atif",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write a file a run there, instead of a line a run.")
    ] = None,
) -> None:
    """Recorded runs as ATIF, Harbor's interchange format: a line of JSON a run, or with --out a file a run."""
    from context_strategies.compare import inputs  # noqa: PLC0415 - loaded when used
    from context_strategies.trajectories import Refusal, load  # noqa: PLC0415
    from context_strategies.trajectories.atif_export import written  # noqa: PLC0415

    if form not in FORMATS:
        inputs.stop(f"--format {form}: choose one of: {', '.join(FORMATS)}")
    names: Counter[str] = Counter()
    refused = False
    for result in (result for source in inputs.sources(paths) for result in load(source)):
        line = result if isinstance(result, Refusal) else written(result)
        if isinstance(line, Refusal) or isinstance(result, Refusal):
            inputs.warn(str(line))
            refused = True
            continue
        name = _name(result.id)
        names[name] += 1
        if out is None:
            typer.echo(line)
        else:
            number = f"-{names[name]}" if names[name] > 1 else ""
            inputs.write(out / f"{name}{number}.atif.json", f"{line}\n")
    if not names:
        inputs.stop("nothing to export: no recorded run was found")
    if out is not None:
        inputs.warn(f"{names.total()} written to {out}")
    if refused:
        raise typer.Exit(inputs.SOME_FAILED)


def _name(run_id: str) -> str:
    """``run_id`` as the name of a file: no separators, no leading dots, of bounded length."""
    return re.sub(r"[^\w.#-]+", "_", run_id).lstrip(".")[:100] or "run"
