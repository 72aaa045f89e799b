"""The command ``rankcast`` with all its subcommands, which Ctrl-C ends whatever it waits for."""

import atexit
import gc
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import Annotated, Any

import typer

from rankcast import __version__
from rankcast.cli.commands import NAMES, register
from rankcast.cli.exits import Commands
from rankcast.cli.output import Output

_AGAIN = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
_WAKE = signal.SIGURG  # ignored by default, and used by nothing here


def notice_ctrl_c() -> None:
    """Wake the main thread after a signal, so that it looks for signals whatever it waits for.

    Python handles a signal in the main thread, between two instructions or when a system call is interrupted. It
    misses one that arrives after the last instruction and before the call begins, until the call returns: a read from
    a pipe may never do so. A thread hears of every signal at once and interrupts the main thread a few times.

    Call it in the main thread, before anything else uses `signal.set_wakeup_fd`.
    """
    signal.signal(_WAKE, lambda *_: None)
    heard, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    threading.Thread(target=_wake, args=(heard, threading.get_ident()), daemon=True).start()


def _wake(heard: int, main: int) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {_WAKE})
    while numbers := os.read(heard, 64):
        if signal.SIGINT in numbers:
            for pause in _AGAIN:
                time.sleep(pause)
                with suppress(ProcessLookupError):  # the main thread has ended
                    signal.pthread_kill(main, _WAKE)


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
