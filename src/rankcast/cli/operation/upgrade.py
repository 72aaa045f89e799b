"""``rankcast upgrade``: a store that an earlier Rankcast made, brought up to date."""

from typing import Annotated

import typer

from rankcast.cli.options import DEFAULT_STORE, Json, StorePath
from rankcast.cli.output import Output

__all__ = ["upgrade"]


def upgrade(
    no_backup: Annotated[
        bool, typer.Option("--no-backup", help="Make no copy first; you have a backup of your own.")
    ] = False,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Upgrade a store that an earlier Rankcast made, so that this one can use it.

    End the service and the pipeline first. A copy of the file is made beside it. Of a database on a server, make a backup yourself
    and then say --no-backup. The upgrade happens completely or not at all; a checkpoint of Spark needs none.

    Example:

      rankcast upgrade --store movies.db
    """
    from rankcast.store import Store
    from rankcast.store.upgrading import upgrade_store

    out = Output(json)
    with out.working("upgrading"):
        done = upgrade_store(store, is_backed_up=no_backup)
        with Store.open(store) as opened:
            opened.catalog()  # reads all of it, and reports what cannot be read
            unreadable = opened.unreadable()
    for one in unreadable:
        whose = "" if one.owner is None else f" of {one.owner}"
        out.say(f"left out, because it cannot be read: {one.kind} {one.key}{whose}: {one.reason}")
    record = {"store": done.place, "before": done.before, "version": done.version, "unreadable": len(unreadable)}
    if done.before == done.version:
        out.done(f"{done.place} has schema version {done.version}, which is the newest; nothing to do", record)
        return
    backup = None if done.backup is None else str(done.backup)
    kept = "" if backup is None else f"; as it was, it is in {backup}"
    message = f"{done.place} has schema version {done.version} now, before {done.before}{kept}"
    out.done(message, {**record, "backup": backup})
