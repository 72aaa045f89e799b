"""``rankcast backup`` and ``rankcast restore``: a store and its checkpoint as one file."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from rankcast import __version__
from rankcast.cli.options import DEFAULT_STORE, Json, StorePath, existing_file
from rankcast.cli.output import Output
from rankcast.errors import StoreError


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Archive to write.")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Write the store, and the checkpoint of its Spark pipeline if it has one, to one archive.

    The service and the pipeline can keep running. A PostgreSQL store is copied with pg_dump. Keep the archive safe:
    it contains token hashes and webhook secrets.

    Example:

      rankcast backup rankcast-monday.backup
    """
    from rankcast.store import Store
    from rankcast.store.audit_log import AuditAction, note_now
    from rankcast.store.backups import back_up

    if file.exists() and not force:
        raise StoreError(f"{str(file)!r} already exists; choose another name, or overwrite it with --force")
    out = Output(json)
    with out.working("copying"):
        made = back_up(store, file, __version__)
        with Store.open(store) as opened:
            note_now(opened.database, AuditAction.BACK_UP, None, f"to {file}, served up to event {made.served:,}")
    record = {
        "file": str(file),
        "store": made.place,
        "served": made.served,
        "checkpoint": made.checkpoint,
        "bytes": file.stat().st_size,
    }
    also = "" if made.checkpoint is None else f" and the checkpoint {made.checkpoint}"
    out.done(f"wrote {made.place}{also} to {file}, served up to event {made.served:,}", record)


def restore(
    file: Annotated[
        Path,
        typer.Argument(
            callback=existing_file, dir_okay=False, metavar="FILE", help="Archive that `rankcast backup` wrote."
        ),
    ],
    checkpoint: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Folder for the checkpoint; by default its original folder.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing store and checkpoint.")] = False,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Restore an archive that `rankcast backup` wrote: the store, and the checkpoint of its pipeline if there was
    one.

    Stop the service and the pipeline first. The archive is verified first. Afterwards they continue from the
    state of the backup; events published after the backup are not in it.

    Example:

      rankcast restore rankcast-monday.backup --store movies.db
    """
    from rankcast.store.backups import restore as put_back
    from rankcast.store.places import shown_place

    out = Output(json)
    with out.working("restoring"):
        made = put_back(file, store, checkpoint, is_forced=force)
        _note(store, f"from {file}, made {made.created}, served up to event {made.served:,}")
    place = shown_place(store)
    record = {"store": place, "created": made.created, "schema": made.schema, "served": made.served}
    out.done(f"restored {place} as of {made.created}, served up to event {made.served:,}", record)


def _note(store: str, detail: str) -> None:
    """Record the restore in the audit trail of the store; a store of an earlier schema has none and is skipped."""
    from rankcast.errors import OutdatedStore
    from rankcast.store import Store
    from rankcast.store.audit_log import AuditAction, note_now

    with suppress(OutdatedStore), Store.open(store) as opened:
        note_now(opened.database, AuditAction.RESTORE, None, detail)
