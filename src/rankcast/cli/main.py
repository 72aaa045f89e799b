"""The command ``rankcast`` with all its subcommands."""

import atexit
import gc
import sys
from typing import Annotated, Any

import typer

from rankcast import __version__
from rankcast.cli.commands import NAMES, register
from rankcast.cli.exits import Commands
from rankcast.cli.interrupts import notice_ctrl_c
from rankcast.cli.output import Output

app: typer.Typer
"""The application with all commands, made on first use."""


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(name)
    return globals().setdefault("app", application())


def application(only: str | None = None) -> typer.Typer:
    """The application with all commands, or only the one with this first word."""
    made = typer.Typer(
        cls=Commands,
        name="rankcast",
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        add_completion=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    register(made, rankcast, only)
    return made


def _version(wanted: bool) -> None:
    if wanted:
        Output().line(f"rankcast {__version__}")
        raise typer.Exit


def rankcast(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Ranked publish/subscribe: each subscriber gets the few events worth getting.

    Commands print records as tables on a terminal, and as JSON Lines in a pipe or with --json. Messages go to stderr.

    Exit codes:

      0   success
      1   something was rejected or not found, or the answer is no
      2   usage error: a bad expression, value or option
      3   something outside Rankcast is missing: Java, the store, a file
     70   internal error (a bug in Rankcast); RANKCAST_DEBUG=1 shows the traceback
    130   interrupted by Ctrl-C (141: the output pipe was closed)

    Start with: rankcast demo
    """


def main() -> None:
    """The entry point. It imports only the module of the command that is named first."""
    notice_ctrl_c()
    gc.set_threshold(200_000)  # importing makes objects that stay: looking for garbage takes a tenth of a start,
    atexit.register(gc.freeze)  # and as much at the end
    first = sys.argv[1] if len(sys.argv) > 1 else None
    application(first if first in NAMES else None)()
