"""``rankcast upgrade``: upgrade a store from an earlier version of Rankcast."""

from typing import Annotated

import typer

from rankcast.cli.options import DEFAULT_STORE, Json, StorePath
from rankcast.cli.output import Output


def upgrade(
    no_backup: Annotated[
        bool, typer.Option("--no-backup", help="Make no copy first, because you have your own backup.")
    ] = False,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Upgrade a store that an earlier version of Rankcast created.

    Stop the service and the pipeline first. The command copies a store file before it changes it. For a database on a
    server, make your own backup and use --no-backup. A failed upgrade changes nothing. Spark checkpoints need none.

    Example:

      rankcast upgrade --store movies.db
    """
    from rankcast.store import Store
    from rankcast.store.upgrading import upgrade_store

    out = Output(json)
    with out.working("upgrading"):
        done = upgrade_store(store, is_backed_up=no_backup)
        with Store.open(store) as opened:
            opened.catalog()  # reads every record, and reports those that cannot be read
            unreadable = opened.unreadable()
    for one in unreadable:
        whose = "" if one.owner is None else f" of {one.owner}"
        out.say(f"skipped, because it cannot be read: {one.kind} {one.key}{whose}: {one.reason}")
    record = {"store": done.place, "before": done.before, "version": done.version, "unreadable": len(unreadable)}
    if done.before == done.version:
        out.done(f"{done.place} has schema version {done.version}, which is the latest; nothing to do", record)
        return
    backup = None if done.backup is None else str(done.backup)
    kept = "" if backup is None else f"; the original is in {backup}"
    message = f"upgraded {done.place} from schema version {done.before} to {done.version}{kept}"
    out.done(message, {**record, "backup": backup})
