"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

Paths = Annotated[
    list[Path], typer.Argument(metavar="PATH...", help="Recorded runs: files, or folders with all in them.")
]
Strategies = Annotated[
    list[str] | None,
    typer.Option(
        "-s", "--strategy", help="masking, masking:window=20,refresh=5, module:Class, or a YAML file; repeat for more."
    ),
]
Model = Annotated[str, typer.Option("--model", help="Bill at this model's prices.")]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model", help="Bill at this model's prices; 'recorded': each run at its own model's. Repeat for more."
    ),
]
CacheOption = Annotated[str, typer.Option("--cache", help="Cache model: auto (by model), prefix, marked, none.")]
PricesFile = Annotated[Path | None, typer.Option("--prices", help="YAML file of your own prices, by model.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV.")]
RecordedOption = Annotated[
    bool, typer.Option("--recorded", help="Also show each run's recorded cost beside what is predicted for it.")
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help="Also write replay.json, replay.csv and runs.jsonl there; the same command goes on from what is in it.",
    ),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="With --out: do again what was done before.")]
Jobs = Annotated[
    int | None,
    typer.Option("-j", "--jobs", min=1, help="Processes; by default one a core, and one for little input."),
]
EngineOption = Annotated[
    str,
    typer.Option(
        "--engine", help="local, or dask://HOST:PORT: the scheduler of a Dask cluster, which sees the same files."
    ),
]
Timeout = Annotated[
    float,
    typer.Option(
        "--timeout", min=0, help="Seconds that a process may take for 16 MB of one file or folder; 0: no limit."
    ),
]
FailOn = Annotated[
    str,
    typer.Option(
        "--fail-on", metavar="SHAPE", help="Exit code 1 if a run grows so: linear, accelerating, exponential."
    ),
]
FailOver = Annotated[
    int | None, typer.Option("--fail-over", min=0, metavar="TOKENS", help="Exit code 1 if a request is larger.")
]
