"""The status of a store: its content, how far it has been served, and by which pipeline."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Table, func, select
from sqlalchemy.sql.expression import ScalarSelect

from rankcast.store import pipelines, schema
from rankcast.store.catalog.log import newest_version
from rankcast.store.engine import Database
from rankcast.store.pipelines import Pipeline
from rankcast.store.schema import datetime_of
from rankcast.store.set_aside import count_pending
from rankcast.store.sql import Log, last_number, last_number_of
from rankcast.store.unreadable import unreadable_records


class Status(NamedTuple):
    """The status of a store at one moment.

    `published` events are in the log. The first `served` of them have been processed, the last with the catalog
    version `served_version`. `waiting_since` is when the next event was logged.
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
    """The number of set-aside rows that are still pending."""

    @property
    def lag(self) -> int:
        """The number of logged events that have not been served yet."""
        return self.published - self.served


def status(database: Database) -> Status:
    """Read the status in one transaction. Cost: a few look-ups of single rows."""
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


class Stats(NamedTuple):
    """Counts. `versions` are changes of the catalog; `processed` are the events that were served."""

    users: int
    subscriptions: int
    versions: int
    events: int
    processed: int
    deliveries: int
    rejects: int


class StatusLog(Log):
    """What a store says of itself."""

    def stats(self) -> Stats:
        """Count everything at one moment. Cost: O(subscriptions + deliveries + rejects), without loading them."""
        records = schema.catalog_records.c
        subscriptions = records.kind == "subscription"
        query = select(
            select(func.count(records.owner.distinct())).where(subscriptions).scalar_subquery(),
            select(func.count()).where(subscriptions).scalar_subquery(),
            select(func.max(schema.catalog_versions.c.version)).scalar_subquery(),
            last_number_of(schema.events.c.event_offset),
            select(schema.progress.c.event_offset).scalar_subquery(),
            _count(schema.deliveries),
            _count(schema.rejects),
        )
        return Stats(*self._all(query)[0])

    def created(self) -> int:
        """When the store was created, in microseconds. Copies have the same value, so it identifies a store."""
        return int(self._value(select(schema.store.c.created_at)))


def _count(table: Table) -> ScalarSelect[int]:
    return select(func.count()).select_from(table).scalar_subquery()
