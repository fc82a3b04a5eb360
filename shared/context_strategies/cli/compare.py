"""Measured runs side by side."""

import json
from pathlib import Path
from typing import Annotated

import typer

from context_strategies.cli.ends import SOME_FAILED, warn
from context_strategies.cli.options import Csv, Json

Measured = Annotated[
    list[str],
    typer.Argument(
        metavar="LABEL=PATH...",
        help="A folder of runs and reports, or a CSV table (#EXPERIMENT picks one of it). A label given twice pools.",
    ),
]
Baseline = Annotated[str, typer.Option(help="The label to compare the others with; by default the first.")]
AllPairs = Annotated[bool, typer.Option("--all-pairs", help="Compare every label with every other.")]
Of = Annotated[
    int, typer.Option(min=0, metavar="N", help="Solve rates of N tasks: those without a run or verdict are unsolved.")
]
Resamples = Annotated[int, typer.Option(min=100, max=1_000_000, help="Of bootstrap intervals and sign flips.")]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="DIR", help="Also write comparison.json, comparison.csv, tests.csv, outcomes.csv and figures."
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Of what is drawn at random.")]


def compare(  # noqa: PLR0913, PLR0917 - one parameter an option
    paths: Measured,
    baseline: Baseline = "",
    all_pairs: AllPairs = False,  # noqa: FBT002 - a flag on a command line
    of: Of = 0,
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    as_json: Json = False,  # noqa: FBT002
    as_csv: Csv = False,  # noqa: FBT002
    out: Out = None,
) -> None:
    """Measured runs side by side: solved, cost and turns, with intervals, paired tests and what weakens them."""
    from context_strategies.compare import comparison_files, comparison_show, show  # noqa: PLC0415 - loaded when used
    from context_strategies.compare.comparing import Design, compare  # noqa: PLC0415
    from context_strategies.compare.measured import measured, named  # noqa: PLC0415
    from context_strategies.compare.statistics import Resampling  # noqa: PLC0415

    found = measured(map(named, paths))
    for refusal in found.refusals:
        warn(str(refusal))
    done = compare(found.arms, Design(baseline, all_pairs, of, Resampling(resamples, seed)))
    if out is not None:
        comparison_files.write_all(out, done, found.refusals)
    if as_json:
        typer.echo(json.dumps(comparison_files.document(done, found.refusals)))
    elif as_csv:
        typer.echo(comparison_files.labels_csv(done), nl=False)
    else:
        comparison_show.print_comparison(show.console(), done)
    if found.refusals:
        raise typer.Exit(SOME_FAILED)
