"""The demo: real scaffolds, a scripted model, no key."""

import os
from pathlib import Path
from typing import Annotated

import typer

from context_strategies.cli.ends import SOME_FAILED, warn


def demo(
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder of the results; its runs are made anew.")
    ] = Path("demo"),
) -> None:
    """Run mini-swe-agent and OpenHands (SWE-agent too, if SWEAGENT_PYTHON names its interpreter) under every strategy.

    The model is a script: no key, no network. Says what each strategy costs at the prices of three models.
    """
    from rich.console import Console  # noqa: PLC0415 - loaded when used

    from context_strategies.cli.report import report  # noqa: PLC0415
    from context_strategies.experiment.demo.bills import print_bills  # noqa: PLC0415
    from context_strategies.experiment.demo.play import play  # noqa: PLC0415

    played = play(out, os.environ.get("SWEAGENT_PYTHON", ""), warn)
    print_bills(Console(), played.bills)
    report([str(out / "runs")], out=out / "report.html")
    if not played.outcome.complete:
        raise typer.Exit(SOME_FAILED)
