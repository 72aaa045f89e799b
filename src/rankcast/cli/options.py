"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, TypeAlias, TypeVar

import typer

from rankcast.cli.completion import complete_user
from rankcast.errors import EnvironmentProblem

__all__ = [
    "DEFAULT_STORE",
    "CatalogFile",
    "EventsFile",
    "Json",
    "MaxAhead",
    "MaxEventSize",
    "OneUser",
    "OutFile",
    "RejectsFile",
    "StorePath",
    "UserName",
    "existing_file",
]

DEFAULT_STORE = "rankcast.db"

_Files = TypeVar("_Files", bound=Path | list[Path] | None)

Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Write JSON Lines, even on a terminal.")]

StorePath: TypeAlias = Annotated[
    str,
    typer.Option(
        "--store",
        envvar="RANKCAST_STORE",
        metavar="FILE",
        help="Store to use: a file or a database URL.",
    ),
]

MaxEventSize: TypeAlias = Annotated[
    int, typer.Option("--max-event-size", min=1, metavar="BYTES", help="Reject events whose JSON is larger than this.")
]

MaxAhead: TypeAlias = Annotated[
    str,
    typer.Option("--max-ahead", metavar="DURATION", help="Reject events dated further ahead of the clock than this."),
]

UserName: TypeAlias = Annotated[
    str, typer.Option("--user", "-u", metavar="NAME", help="User name.", autocompletion=complete_user)
]

OneUser: TypeAlias = Annotated[
    str | None, typer.Option("--user", "-u", metavar="NAME", help="User name.", autocompletion=complete_user)
]


def existing_file(given: _Files) -> _Files:
    """The file or files that an option names; the exit code for a missing one is the same in all commands."""
    files: Path | list[Path] | None = given
    for path in [files] if isinstance(files, Path) else files or []:
        if not path.exists():
            raise EnvironmentProblem(f"there is no file {str(path)!r}")
    return given


CatalogFile: TypeAlias = Annotated[
    Path,
    typer.Option(
        "--catalog",
        callback=existing_file,
        dir_okay=False,
        metavar="FILE",
        help="Catalog file (JSON Lines): subscriptions, preferences, policies and concepts.",
    ),
]

EventsFile: TypeAlias = Annotated[
    Path,
    typer.Option(
        "--events",
        callback=existing_file,
        dir_okay=False,
        metavar="FILE",
        help="Event file (JSON Lines, CSV, Parquet, …).",
    ),
]

OutFile: TypeAlias = Annotated[
    Path | None,
    typer.Option("--out", dir_okay=False, metavar="FILE", help="Write JSON Lines to this file instead of stdout."),
]

RejectsFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--rejects", dir_okay=False, metavar="FILE", help="Write all rejected lines to this file, as JSON Lines."
    ),
]
