"""The command line, one module a group of commands, which load what they need when they run, so that --help is
quick.
"""

try:
    import typer
    from rich.console import Console as _Console  # noqa: F401 - commands need it as well
except ImportError:
    raise SystemExit("context-strategies: the command line needs: pip install 'context-strategies[compare]'") from None

from context_strategies.cli import compare, demo, export, menu, replay, report, run
from context_strategies.cli.ends import ended

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Context management for coding agents: replay recorded runs under any strategy and see what each would cost.",
)
for _command in (
    replay.replay,
    replay.tune,
    replay.profile,
    report.report,
    export.export,
    compare.compare,
    run.run,
    demo.demo,
    menu.estimate,
    menu.strategies,
):
    app.command()(ended(_command))


def main() -> None:
    """The console script."""
    app()
