"""Exit codes and error messages: a line or two for people, and a traceback only if RANKCAST_DEBUG is set."""

import os
import shlex
import signal
import sys
import traceback
from typing import Any

import typer
from typer.core import TyperGroup

from rankcast import errors
from rankcast.cli.output import Output
from rankcast.extras import extra_of, missing
from rankcast.model.actors import OPERATOR, acting

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

    def get_params(self, ctx: typer.Context) -> list[Any]:  # type: ignore[override]  # typer has two names for one class
        """The options, of which flags are shown without a type."""
        _show_flags(self, ctx)
        return super().get_params(ctx)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]  # as above
        """The command of this name."""
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            _show_flags(found, ctx)
        return found

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
        except (errors.RankcastError, OSError) as error:
            _show(error)
            raise typer.Exit(exit_code(error)) from None
        except Exception as error:
            if _is_usage(error):
                _hint_at_user(error)
                raise
            told = _of_extra(error) or error
            _show(told)
            raise typer.Exit(exit_code(told)) from None
        return result

    def _invoke(self, ctx: typer.Context) -> Any:
        given = list(ctx._protected_args), list(ctx.args)
        try:
            return super().invoke(ctx)
        except errors.OutdatedStore as error:
            if not _is_upgraded(error):
                raise
            ctx._protected_args, ctx.args = given
            return super().invoke(ctx)


def _show_flags(command: Any, ctx: typer.Context) -> None:
    """Show the flags of a command and of its own commands without a type: they take no value."""
    for option in [*command.params, command.get_help_option(ctx)]:
        if getattr(option, "is_flag", False):
            option.metavar = ""
    for one in getattr(command, "commands", {}).values():
        _show_flags(one, ctx)


def exit_code(error: Exception) -> int:
    """The exit code of an expected error of Rankcast or the system."""
    match error:
        case errors.CatalogError():
            return NEGATIVE
        case errors.ModelError():
            return USAGE
        case errors.StoreError() | errors.EnvironmentProblem() | OSError():
            return ENVIRONMENT
        case errors.RankcastError():
            return NEGATIVE
    return INTERNAL


def _is_upgraded(error: errors.OutdatedStore) -> bool:
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
        case errors.ExpressionError():
            message = error.pointed()
        case errors.UnknownConcept():
            how = f"rankcast concept {shlex.quote(error.concept)} --attribute {shlex.quote(error.attribute)}"
            message = f"{error}\nfor example: {how} --trapezoid 0 0 500 900"
        case errors.RankcastError():
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


def _of_extra(error: Exception) -> errors.MissingExtra | None:
    """The error as an extra that is not installed, if it is one."""
    name = extra_of(error.name) if isinstance(error, ModuleNotFoundError) else None
    return None if name is None else missing([name])


def _is_usage(error: Exception) -> bool:
    """Whether typer shows the error itself: usage errors and exits."""
    return isinstance(error, typer.Exit | typer.Abort) or hasattr(error, "exit_code")


def _hint_at_user(error: Any) -> None:
    """Say how to give the user if it was given as an argument to a command that has it as an option."""
    is_extra = "extra argument" in getattr(error, "message", "")
    if is_extra and any("--user" in option.opts for option in error.ctx.command.params):
        error.message += ". The user is an option: --user NAME"


def _forget_stdout() -> None:
    """Redirect stdout, which has no reader any more, so that flushing its buffer at exit does not raise again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
