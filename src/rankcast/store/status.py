"""How things stand with a store: what is in it, how far it has been served, and by whom."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import func, select

from rankcast.store import pipelines, schema
from rankcast.store.catalog_log import newest_version
from rankcast.store.engine import Database
from rankcast.store.pipelines import Pipeline
from rankcast.store.schema import datetime_of
from rankcast.store.set_aside import count_pending
from rankcast.store.sql import last_number
from rankcast.store.unreadable import unreadable_records

__all__ = ["Status", "status"]


class Status(NamedTuple):
    """One moment of a store.

    `published` events are in the log, of which the first `served` have been worked off, the last of them with the catalog
    as of `served_version`; `waiting_since` is when the first of the others was logged.
    """

    version: int
    published: int
    served: int
    served_version: int
    waiting_since: datetime | None
    deliveries: int
    rejects: int
    unreadable: int
    pipeline: Pipeline | None
    set_aside: int = 0
    """How much could not be served and was not served again since."""

    @property
    def lag(self) -> int:
        """How many events of the log have not been served yet."""
        return self.published - self.served


def status(database: Database) -> Status:
    """Read it, in one transaction. Cost: a few look-ups of one row each, none over a whole table."""
    events, progress = schema.events.c, schema.progress.c
    with database.reading() as connection:
        served, served_version = connection.execute(select(progress.event_offset, progress.catalog_version)).one()
        waiting = connection.execute(select(func.min(events.logged)).where(events.event_offset == served + 1)).scalar()
        return Status(
            version=newest_version(connection),
            published=last_number(connection, events.event_offset),
            served=served,
            served_version=served_version,
            waiting_since=None if waiting is None else datetime_of(waiting),
            deliveries=last_number(connection, schema.deliveries.c.number),
            rejects=last_number(connection, schema.rejects.c.number),
            unreadable=connection.execute(select(func.count()).select_from(unreadable_records)).scalar_one(),
            pipeline=pipelines.present(connection),
            set_aside=count_pending(connection),
        )
