"""``rankcast init``: create a store."""

import shlex
from typing import Annotated

import typer

from rankcast.cli.options import DEFAULT_STORE, Json, StorePath
from rankcast.cli.output import Output
from rankcast.wording import counted


def init(
    place: Annotated[str | None, typer.Argument(metavar="STORE", help="Store to create; same as --store.")] = None,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Create a store for subscriptions, events and deliveries; an existing store is left unchanged.

    Example:

      rankcast init
      rankcast init movies.db
    """
    from rankcast.store import Store

    out = Output(json)
    with Store.create(place or store, exist_ok=True) as made:
        held, where = made.stats(), made.database.place
    if held.versions or held.events:
        message = (
            f"{where} already exists, with {counted(held.users, 'user')}, "
            f"{counted(held.subscriptions, 'subscription')} and {counted(held.events, 'event')}"
        )
    else:
        other = "" if (place or store) == DEFAULT_STORE else f"--store {shlex.quote(place or store)} "
        message = f"{where} is ready; now subscribe: rankcast subscribe {other}--user addison \"genre = 'drama'\""
    out.done(message, {"store": where, **held._asdict()})
