"""``rankcast backup``: write a store and its checkpoint to one file."""

from pathlib import Path
from typing import Annotated

import typer

from rankcast import __version__
from rankcast.cli.options import DEFAULT_STORE, Json, StorePath
from rankcast.cli.output import Output
from rankcast.errors import StoreError

__all__ = ["backup"]


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
