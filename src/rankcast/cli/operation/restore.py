"""``rankcast restore``: a store and its checkpoint out of a backup."""

from pathlib import Path
from typing import Annotated

import typer

from rankcast.cli.options import DEFAULT_STORE, Json, StorePath
from rankcast.cli.output import Output

__all__ = ["restore"]


def restore(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, metavar="FILE", help="What `backup` wrote.")],
    checkpoint: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Where the checkpoint goes; by default where it was.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a store and a checkpoint that are there.")] = False,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Put back what `rankcast backup` wrote: the store, and the checkpoint of its pipeline if there was one.

    The archive is checked first. End the service and the pipeline before. Afterwards they go on from where the backup was made; what
    was published since then is not in it.

    Example:

      rankcast restore rankcast-monday.backup --store movies.db
    """
    from rankcast.store.backups import restore as put_back
    from rankcast.store.places import shown_place

    out = Output(json)
    with out.working("restoring"):
        made = put_back(file, store, checkpoint, is_forced=force)
    place = shown_place(store)
    record = {"store": place, "created": made.created, "schema": made.schema, "served": made.served}
    out.done(f"{place} is as it was at {made.created}, served up to event {made.served:,}", record)
