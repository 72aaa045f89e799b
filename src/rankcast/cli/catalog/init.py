"""``rankcast init``: a new store."""

from typing import Annotated

import typer

from rankcast.cli.options import DEFAULT_STORE, Json, StorePath
from rankcast.cli.output import Output, counted

__all__ = ["init"]


def init(
    place: Annotated[str | None, typer.Argument(metavar="STORE", help="Where; the same as --store.")] = None,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Make a store, which keeps subscriptions, events and deliveries; a store that is there is left as it is.

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
            f"{where} is there already, with {counted(held.users, 'user')}, "
            f"{counted(held.subscriptions, 'subscription')} and {counted(held.events, 'event')}"
        )
    else:
        message = f"{where} is ready; now subscribe: rankcast subscribe --user addison \"genre = 'drama'\""
    out.done(message, {"store": where, **held._asdict()})
