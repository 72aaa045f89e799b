"""Statistics about the content of a store."""

from typing import NamedTuple

from sqlalchemy import Table, func, select
from sqlalchemy.sql.expression import ScalarSelect

from rankcast.store import schema
from rankcast.store.engine import Database
from rankcast.store.sql import last_number_of


class Stats(NamedTuple):
    """Counts. `versions` are changes of the catalog; `processed` are the events that were served."""

    users: int
    subscriptions: int
    versions: int
    events: int
    processed: int
    deliveries: int
    rejects: int


def stats(database: Database) -> Stats:
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
    with database.reading() as connection:
        return Stats(*connection.execute(query).one())


def created(database: Database) -> int:
    """When the store was created, in microseconds."""
    with database.reading() as connection:
        return int(connection.execute(select(schema.store.c.created_at)).scalar_one())


def _count(table: Table) -> ScalarSelect[int]:
    return select(func.count()).select_from(table).scalar_subquery()
