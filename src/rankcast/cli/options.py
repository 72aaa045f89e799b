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

Json: TypeAlias = Annotated[bool, typer.Option("--json", help="JSON Lines for machines, also on a terminal.")]

StorePath: TypeAlias = Annotated[
    str,
    typer.Option(
        "--store",
        envvar="RANKCAST_STORE",
        metavar="FILE",
        help="The store to work on: a file, or the URL of a database.",
    ),
]

MaxEventSize: TypeAlias = Annotated[
    int, typer.Option("--max-event-size", min=1, metavar="BYTES", help="Refuse an event whose JSON is larger.")
]

MaxAhead: TypeAlias = Annotated[
    str,
    typer.Option(
        "--max-ahead", metavar="DURATION", help="Refuse an event whose time is further ahead of the clock than this."
    ),
]

UserName: TypeAlias = Annotated[str, typer.Option("--user", "-u", metavar="NAME", help="Whose it is.")]

OneUser: TypeAlias = Annotated[str | None, typer.Option("--user", "-u", metavar="NAME", help="Which user.")]

CatalogFile: TypeAlias = Annotated[
    Path,
    typer.Option(
        "--catalog",
        exists=True,
        dir_okay=False,
        metavar="FILE",
        help="Subscriptions, preferences, policies and concepts, as JSON Lines.",
    ),
]

EventsFile: TypeAlias = Annotated[
    Path, typer.Option("--events", exists=True, dir_okay=False, metavar="FILE", help="Events, as JSON Lines.")
]

OutFile: TypeAlias = Annotated[
    Path | None,
    typer.Option("--out", dir_okay=False, metavar="FILE", help="Write JSON Lines here instead of to stdout."),
]

RejectsFile: TypeAlias = Annotated[
    Path | None, typer.Option("--rejects", dir_okay=False, metavar="FILE", help="Keep all rejects here, as JSON Lines.")
]
