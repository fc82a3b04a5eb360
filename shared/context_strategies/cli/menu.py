"""Before there is any run: the menu of strategies, and estimates."""

import json
from typing import Annotated

import typer
from rich.console import Console

from context_strategies.cli.options import CacheOption, Json, Model, PricesFile, Strategies


def estimate(  # noqa: PLR0913, PLR0917 - one parameter an option
    steps: Annotated[int, typer.Option(min=1, help="Calls of the model.")],
    output: Annotated[str, typer.Option(help="Tokens of each tool output: 575, 200..1500, or 100,200,300.")] = "575",
    base: Annotated[int, typer.Option(min=0, help="Tokens of the system prompt and the task.")] = 2500,
    action: Annotated[int, typer.Option(min=0, help="Tokens of each answer, reasoning and calls.")] = 145,
    summary: Annotated[int, typer.Option(min=0, help="Tokens of each summary.")] = 450,
    strategy: Strategies = None,
    model: Model = "",
    cache: CacheOption = "auto",
    prices: PricesFile = None,
    as_json: Json = False,  # noqa: FBT002 - a flag on a command line
) -> None:
    """What a run of these sizes would cost under every strategy, and from which call each pays, before there is any."""
    from context_strategies.cli import inputs  # noqa: PLC0415 - loaded when used
    from context_strategies.compare import estimate, show  # noqa: PLC0415
    from context_strategies.compare.closed_forms import Sizes  # noqa: PLC0415

    chosen = inputs.choices(strategy, inputs.RECOMMENDED)
    (market,) = inputs.markets([model], cache, prices)
    sizes = Sizes(base, action, estimate.outputs_of(output, steps))
    results, found = estimate.estimated(sizes, chosen, market, summary)
    if as_json:
        typer.echo(json.dumps(estimate.as_json(sizes, results, found)))
    else:
        estimate.print_estimates(show.console(), sizes, results, found)


def strategies(as_json: Json = False) -> None:  # noqa: FBT002 - a flag on a command line
    """The menu: every strategy with its fields and defaults."""
    from context_strategies.compare import menu  # noqa: PLC0415 - loaded when used

    if as_json:
        typer.echo(json.dumps(menu.as_json()))
    else:
        menu.print_menu(Console())
