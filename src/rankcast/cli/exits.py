"""Exit codes and error messages: a line or two for people, and a traceback only if RANKCAST_DEBUG is set."""

import os
import signal
import sys
import traceback
from typing import Any

import typer
from typer.core import TyperGroup

from rankcast.cli.output import Output
from rankcast.errors import (
    CatalogError,
    EnvironmentProblem,
    ExpressionError,
    ModelError,
    OutdatedStore,
    RankcastError,
    StoreError,
)
from rankcast.model.actors import OPERATOR, acting

__all__ = ["ENVIRONMENT", "INTERNAL", "NEGATIVE", "OK", "USAGE", "Commands", "exit_code"]

OK = 0
NEGATIVE = 1
"""Something was rejected, was not found, or the answer is no."""
USAGE = 2
"""The command was not understood: a bad expression, value or option."""
ENVIRONMENT = 3
"""Something outside Rankcast is missing: Java, the store, a file that can be read or written."""
INTERNAL = 70
"""An internal error: a bug in Rankcast."""

_SIGNALLED = 128


class Commands(TyperGroup):
    """The group of all commands. It turns exceptions into a message on stderr and an exit code."""

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]  # typer has two names for one class
        """Run the command that was named."""
        try:
            with acting(OPERATOR):
                result = self._invoke(ctx)
            sys.stdout.flush()
        except KeyboardInterrupt:
            Output().say("stopped")
            raise typer.Exit(_SIGNALLED + signal.SIGINT) from None
        except BrokenPipeError:
            _forget_stdout()
            raise typer.Exit(_SIGNALLED + signal.SIGPIPE) from None
        except (RankcastError, OSError) as error:
            _show(error)
            raise typer.Exit(exit_code(error)) from None
        except Exception as error:
            if _is_usage(error):
                raise
            _show(error)
            raise typer.Exit(INTERNAL) from None
        return result

    def _invoke(self, ctx: typer.Context) -> Any:
        given = list(ctx._protected_args), list(ctx.args)
        try:
            return super().invoke(ctx)
        except OutdatedStore as error:
            if not _is_upgraded(error):
                raise
            ctx._protected_args, ctx.args = given
            return super().invoke(ctx)


def exit_code(error: Exception) -> int:
    """The exit code of an expected error of Rankcast or the system."""
    match error:
        case CatalogError():
            return NEGATIVE
        case ModelError():
            return USAGE
        case StoreError() | EnvironmentProblem() | OSError():
            return ENVIRONMENT
        case RankcastError():
            return NEGATIVE
    return INTERNAL


def _is_upgraded(error: OutdatedStore) -> bool:
    """Ask at a terminal whether to upgrade the store, and do so; whether it was upgraded."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    from rankcast.cli.operation.upgrade import upgrade

    Output().say(str(error))
    if not typer.confirm("Upgrade it now?", default=False, err=True):
        return False
    upgrade(store=error.store)
    return True


def _show(error: Exception) -> None:
    if os.environ.get("RANKCAST_DEBUG"):
        sys.stderr.write(_without_passwords("".join(traceback.format_exception(error))))
    match error:
        case ExpressionError():
            message = error.pointed()
        case RankcastError():
            message = str(error)
        case OSError():
            message = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        case _:
            first = (_without_passwords(str(error)).strip().splitlines() or [""])[0][:300]
            message = (
                f"internal error in Rankcast: {type(error).__name__}: {first}\n"
                "this is a bug in Rankcast; set RANKCAST_DEBUG=1 to see the traceback"
            )
    Output().error(message)


def _without_passwords(text: str) -> str:
    from rankcast.store.places import without_passwords

    return without_passwords(text)


def _is_usage(error: Exception) -> bool:
    """Whether typer shows the error itself: usage errors and exits."""
    return isinstance(error, typer.Exit | typer.Abort) or hasattr(error, "exit_code")


def _forget_stdout() -> None:
    """Redirect stdout, which has no reader any more, so that flushing its buffer at exit does not raise again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
