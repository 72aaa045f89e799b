"""``rankcast backup``: a store and its checkpoint in one file."""

from pathlib import Path
from typing import Annotated

import typer

from rankcast import __version__
from rankcast.cli.options import DEFAULT_STORE, Json, StorePath
from rankcast.cli.output import Output
from rankcast.errors import StoreError

__all__ = ["backup"]


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The archive to write.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Write the store, and the checkpoint of its pipeline on Spark if it has one, into one archive.

    Service and pipeline go on meanwhile. Of a store in PostgreSQL, pg_dump makes the copy. Keep the archive safe: it holds tokens'
    hashes and webhook secrets.

    Example:

      rankcast backup rankcast-monday.backup
    """
    from rankcast.store.backups import back_up

    if file.exists() and not force:
        raise StoreError(f"{str(file)!r} is there already; choose another name, or replace it with --force")
    out = Output(json)
    with out.working("copying"):
        made = back_up(store, file, __version__)
    record = {
        "file": str(file),
        "store": made.place,
        "served": made.served,
        "checkpoint": made.checkpoint,
        "bytes": file.stat().st_size,
    }
    also = "" if made.checkpoint is None else f" and the checkpoint {made.checkpoint}"
    out.done(f"{file} holds {made.place}{also}, served up to event {made.served:,}", record)
