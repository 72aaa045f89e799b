"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

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
]

DEFAULT_STORE = "rankcast.db"

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

UserName: TypeAlias = Annotated[str, typer.Option("--user", "-u", metavar="NAME", help="User name.")]

OneUser: TypeAlias = Annotated[str | None, typer.Option("--user", "-u", metavar="NAME", help="User name.")]

CatalogFile: TypeAlias = Annotated[
    Path,
    typer.Option(
        "--catalog",
        exists=True,
        dir_okay=False,
        metavar="FILE",
        help="Catalog file (JSON Lines): subscriptions, preferences, policies and concepts.",
    ),
]

EventsFile: TypeAlias = Annotated[
    Path, typer.Option("--events", exists=True, dir_okay=False, metavar="FILE", help="Event file (JSON Lines).")
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
