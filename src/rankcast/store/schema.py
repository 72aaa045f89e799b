"""The tables of a store, in SQL that SQLite and PostgreSQL share.

Logs are numbered from 1 without gaps, in commit order, because a store has one writer at a time
(`rankcast.store.engine`). So a reader that has seen number n has seen everything before it. Times are integers:
microseconds since 1970 in UTC, which sort correctly and lose no precision.
"""

from datetime import datetime, timedelta
from typing import Any, TypeAlias, TypeVar

import sqlalchemy as sql
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeEngine

from rankcast.errors import StoreError
from rankcast.model import EPOCH

DatabaseRow: TypeAlias = sql.Row[Any]
"""A row that a query returned, with an attribute for each column."""

SCHEMA_VERSION = 9
"""Increased when a release changes the tables. Earlier stores are migrated (`rankcast.store.migrations`)."""

OLDEST_VERSION = 3
"""The oldest schema version that can be migrated."""

# In SQLite, only an INTEGER primary key is the row id itself. In PostgreSQL, INTEGER has only 32 bits.
NUMBER = sql.BigInteger().with_variant(sql.Integer(), "sqlite")

metadata = sql.MetaData()

T = TypeVar("T")


def required(name: str, kind: type[TypeEngine[T]] | TypeEngine[T], *keys: SchemaItem, **more: Any) -> sql.Column[T]:
    """A column that is never null."""
    return sql.Column(name, kind, *keys, nullable=False, **more)


store = sql.Table(
    "rankcast_store",
    metadata,
    sql.Column("id", sql.Integer, primary_key=True, autoincrement=False),
    required("schema_version", sql.Integer),
    required("created_at", sql.BigInteger),
    comment="One row, which says that this is a Rankcast store; a writer locks it.",
)

catalog_versions = sql.Table(
    "catalog_versions",
    metadata,
    sql.Column("version", NUMBER, primary_key=True, autoincrement=False),
    required("changed_at", sql.BigInteger),
    comment="One row for each change of the catalog; version 0 is the empty catalog.",
)

catalog_changes = sql.Table(
    "catalog_changes",
    metadata,
    sql.Column("number", NUMBER, primary_key=True, autoincrement=False),
    required("version", NUMBER, sql.ForeignKey(catalog_versions.c.version), index=True),
    required("removed", sql.Boolean),
    required("record", sql.Text, comment="JSON; of a removal, the record as it was"),
    comment="The catalog as a log: every record put or removed, in order.",
)

catalog_records = sql.Table(
    "catalog_records",
    metadata,
    sql.Column("kind", sql.Text, primary_key=True),
    sql.Column("key", sql.Text, primary_key=True, comment="what identifies the record among its kind"),
    sql.Column("owner", sql.Text, comment="the user, if it is one user's"),
    required("arrived", NUMBER, comment="the change that first put it; replacing keeps it"),
    required("record", sql.Text, comment="JSON"),
    sql.Index("ix_catalog_records_owner", "owner"),
    comment="The catalog as of the newest version, so that one user's part can be read alone.",
)

events = sql.Table(
    "events",
    metadata,
    sql.Column("event_offset", NUMBER, primary_key=True, autoincrement=False),
    required("id", sql.Text, unique=True),
    required("catalog_version", NUMBER, sql.ForeignKey(catalog_versions.c.version)),
    required("content", sql.Text, comment="JSON"),
    required("published", sql.BigInteger, index=True, comment="the event's own time"),
    required("logged", sql.BigInteger, comment="when it was appended, by the clock of the machine"),
    comment="The published events, each with the catalog version that was current.",
)

deliveries = sql.Table(
    "deliveries",
    metadata,
    sql.Column("number", NUMBER, primary_key=True, autoincrement=False),
    required("user_id", sql.Text),
    required("event_id", sql.Text),
    required("seq", sql.BigInteger),
    required("rank", sql.Double),
    required("subscriptions", sql.Text, comment="JSON array of ids"),
    required("published", sql.BigInteger),
    required("forwarded", sql.BigInteger),
    required("window_number", sql.BigInteger),
    sql.Column("served", sql.BigInteger, comment="when a pipeline took up the batch, by the clock of its machine"),
    sql.Column("matched", sql.BigInteger, comment="when the batch was matched, ranked and chosen from"),
    sql.Column("received", sql.BigInteger, comment="when the delivery was written here"),
    # The event comes first: new deliveries have new events, so they are inserted close together in the index.
    sql.UniqueConstraint("event_id", "user_id"),
    comment="What was delivered: an event to a user at most once.",
)

DELIVERY_BLOCK = 16


def block_of(number: sql.ColumnElement[int]) -> sql.ColumnElement[int]:
    """The block of 65,536 deliveries that contains a number.

    The index by user is divided into blocks, and only its last block changes. So the cost of writing does not grow
    with the number of deliveries. A block has some 400 pages: in larger ones, most deliveries of a commit change a page
    of their own. Reading costs one look-up per block (`rankcast.store.blocks`).
    """
    # With a parameter, databases would not use the index.
    return number.op(">>")(sql.literal_column(str(DELIVERY_BLOCK)))


delivery_block = block_of(deliveries.c.number)

# SQLite adds the number, which is the row id, to every index itself.
sql.Index("ix_deliveries_user", delivery_block, deliveries.c.user_id).ddl_if(dialect="sqlite")
sql.Index("ix_deliveries_user", delivery_block, deliveries.c.user_id, deliveries.c.number).ddl_if(dialect="postgresql")

progress = sql.Table(
    "progress",
    metadata,
    sql.Column("id", sql.Integer, primary_key=True, autoincrement=False),
    required("event_offset", sql.BigInteger),
    required("catalog_version", NUMBER, sql.ForeignKey(catalog_versions.c.version)),
    comment="One row: up to where the event log has been worked off, with the deliveries committed.",
)

pipeline = sql.Table(
    "pipeline",
    metadata,
    sql.Column("id", sql.Integer, primary_key=True, autoincrement=False),
    required("name", sql.Text, comment="what identifies the pipeline; its checkpoint carries it too"),
    required("engine", sql.Text, comment="process, or spark"),
    required("place", sql.Text, comment="where its checkpoint is, for people; empty if it has none"),
    required("shards", sql.Integer),
    required("start_offset", sql.BigInteger, comment="where in the event log it began"),
    required("start_version", sql.BigInteger, comment="with which version of the catalog"),
    required("last_batch", sql.BigInteger, comment="the last one committed; -1 if there was none"),
    required("claimed", sql.BigInteger),
    sql.Column("committed", sql.BigInteger, comment="when the last batch was"),
    required("events", sql.BigInteger, comment="from here on, counts since it was claimed"),
    required("matched", sql.BigInteger),
    required("delivered", sql.BigInteger),
    required("late", sql.BigInteger),
    required("rejected", sql.BigInteger),
    required("seconds", sql.Double, comment="what the last batch took in the slowest shard"),
    required("state_bytes", sql.BigInteger, comment="of the delivery state"),
    comment="At most one row: which pipeline serves this store, and what it has done.",
)

rejects = sql.Table(
    "rejects",
    metadata,
    sql.Column("number", NUMBER, primary_key=True, autoincrement=False),
    required("seen_at", sql.BigInteger),
    required("file", sql.Text),
    required("line", sql.BigInteger),
    required("reason", sql.Text),
    required("raw", sql.LargeBinary, comment="UTF-8; lone surrogates kept"),
    sql.Column("key", sql.Text, unique=True, comment="what a pipeline rejects is kept once, however often it is read"),
    comment="Input that could not be used, and why.",
)

log_marks = sql.Table(
    "log_marks",
    metadata,
    sql.Column("name", sql.Text, primary_key=True),
    required("number", sql.BigInteger),
    comment="The last number of each log from which rows were deleted, so that no number is given twice; see the module sql.",
)

broker_self = sql.Table(
    "broker_self",
    metadata,
    sql.Column("id", sql.Integer, primary_key=True, autoincrement=False),
    required("name", sql.Text),
    required("lineage", sql.Text, comment="random; a copy of the store has the same, a new store another"),
    required("since", sql.BigInteger, comment="the last event before the store became a broker"),
    comment="At most one row: this store is that of a broker in a tree.",
)


def microseconds(time: datetime) -> int:
    """A time as stored in a column: microseconds since 1970.

    >>> microseconds(datetime.fromisoformat("2004-02-13T20:05:00.000001+00:00"))
    1076702700000001
    """
    return (time - EPOCH) // timedelta(microseconds=1)


def datetime_of(microseconds: int) -> datetime:
    """The time stored in a column.

    >>> datetime_of(1076702700000001).isoformat()
    '2004-02-13T20:05:00.000001+00:00'
    """
    try:
        return EPOCH + timedelta(microseconds=microseconds)
    except (OverflowError, TypeError) as error:  # the file was changed by something else
        raise StoreError(
            f"the store is damaged: {microseconds!r} is no time ({error}); restore it from a backup"
        ) from error
