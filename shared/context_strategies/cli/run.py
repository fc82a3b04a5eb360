"""Experiments: whole matrices of runs."""

from pathlib import Path
from typing import Annotated

import typer

from context_strategies.cli.ends import SOME_FAILED, warn

File = Annotated[
    Path, typer.Argument(metavar="EXPERIMENT.yaml", help="Scaffolds, strategies, models, instances, and limits.")
]
Only = Annotated[
    list[str] | None, typer.Option("--only", metavar="CELL", help="Run this cell of the list; repeat for more.")
]
List = Annotated[bool, typer.Option("--list", help="Print the cells and their states; run none.")]
Jobs = Annotated[bool, typer.Option("--jobs-list", help="Print a command for each cell that is not done; run none.")]
Engine = Annotated[str, typer.Option("--engine", help="Where cells run: local, or dask://HOST:PORT.")]


def run(
    experiment: File,
    only: Only = None,
    listed: List = False,  # noqa: FBT002 - a flag on a command line
    jobs: Jobs = False,  # noqa: FBT002
    engine: Engine = "local",
) -> None:
    """Run scaffolds x strategies x models x instances, each cell by its scaffold's own command.

    Cells that are done are not run again; those broken off or failed are, from their start.
    """
    from context_strategies.experiment import show  # noqa: PLC0415 - loaded when used
    from context_strategies.experiment.cells import cells_of, chosen  # noqa: PLC0415
    from context_strategies.experiment.engine import engine_of  # noqa: PLC0415
    from context_strategies.experiment.plan import Plan  # noqa: PLC0415
    from context_strategies.experiment.progress import Told  # noqa: PLC0415
    from context_strategies.experiment.runner import Runner  # noqa: PLC0415

    try:
        plan = Plan.read(experiment)
        cells, others = chosen(cells_of(plan, experiment), only)
        if listed:
            show.print_cells(cells)
            return
        if jobs:
            show.print_jobs(experiment, cells)
            return
        with engine_of(engine) as start, Told(len(show.unfinished(cells)), plan.budget) as told:
            outcome = Runner(plan.parallel, plan.budget, start, told).run(cells, others)
    except KeyboardInterrupt:
        warn("stopped; the same command goes on from here")
        raise
    show.print_outcome(cells, outcome)
    if not outcome.complete:
        raise typer.Exit(SOME_FAILED)
