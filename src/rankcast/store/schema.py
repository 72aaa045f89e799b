"""The tables of a store, in SQL that SQLite and PostgreSQL share.

Logs are numbered from 1 without gaps, in commit order, because a store has one writer at a time
(`rankcast.store.engine`). So a reader that has seen number n has seen everything before it. Times are integers:
microseconds since 1970 in UTC, which sort correctly and lose no precision.
"""

from datetime import datetime, timedelta
from typing import Any, TypeAlias

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Row,
    Table,
    Text,
    UniqueConstraint,
    literal_column,
)

from rankcast.errors import StoreError
from rankcast.model import EPOCH

__all__ = [
    "DELIVERY_BLOCK",
    "OLDEST_VERSION",
    "SCHEMA_VERSION",
    "DatabaseRow",
    "block_of",
    "broker_self",
    "catalog_changes",
    "catalog_records",
    "catalog_versions",
    "datetime_of",
    "deliveries",
    "delivery_block",
    "events",
    "log_marks",
    "metadata",
    "microseconds",
    "pipeline",
    "progress",
    "rejects",
    "store",
]

DatabaseRow: TypeAlias = Row[Any]
"""A row that a query returned, with an attribute for each column."""

SCHEMA_VERSION = 9
"""Increased when a release changes the tables. Earlier stores are migrated (`rankcast.store.migrations`)."""

OLDEST_VERSION = 3
"""The oldest schema version that can be migrated."""

# In SQLite, only an INTEGER primary key is the row id itself. In PostgreSQL, INTEGER has only 32 bits.
_Number = BigInteger().with_variant(Integer(), "sqlite")

metadata = MetaData()

store = Table(
    "rankcast_store",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("schema_version", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    comment="One row, which says that this is a Rankcast store; a writer locks it.",
)

catalog_versions = Table(
    "catalog_versions",
    metadata,
    Column("version", _Number, primary_key=True, autoincrement=False),
    Column("changed_at", BigInteger, nullable=False),
    comment="One row for each change of the catalog; version 0 is the empty catalog.",
)

catalog_changes = Table(
    "catalog_changes",
    metadata,
    Column("number", _Number, primary_key=True, autoincrement=False),
    Column("version", _Number, ForeignKey(catalog_versions.c.version), nullable=False, index=True),
    Column("removed", Boolean, nullable=False),
    Column("record", Text, nullable=False, comment="JSON; of a removal, the record as it was"),
    comment="The catalog as a log: every record put or removed, in order.",
)

catalog_records = Table(
    "catalog_records",
    metadata,
    Column("kind", Text, primary_key=True),
    Column("key", Text, primary_key=True, comment="what identifies the record among its kind"),
    Column("owner", Text, comment="the user, if it is one user's"),
    Column("arrived", _Number, nullable=False, comment="the change that first put it; replacing keeps it"),
    Column("record", Text, nullable=False, comment="JSON"),
    Index("ix_catalog_records_owner", "owner"),
    comment="The catalog as of the newest version, so that one user's part can be read alone.",
)

events = Table(
    "events",
    metadata,
    Column("event_offset", _Number, primary_key=True, autoincrement=False),
    Column("id", Text, nullable=False, unique=True),
    Column("catalog_version", _Number, ForeignKey(catalog_versions.c.version), nullable=False),
    Column("content", Text, nullable=False, comment="JSON"),
    Column("published", BigInteger, nullable=False, index=True, comment="the event's own time"),
    Column("logged", BigInteger, nullable=False, comment="when it was appended, by the clock of the machine"),
    comment="The published events, each with the catalog version that was current.",
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("number", _Number, primary_key=True, autoincrement=False),
    Column("user_id", Text, nullable=False),
    Column("event_id", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("rank", Double, nullable=False),
    Column("subscriptions", Text, nullable=False, comment="JSON array of ids"),
    Column("published", BigInteger, nullable=False),
    Column("forwarded", BigInteger, nullable=False),
    Column("window_number", BigInteger, nullable=False),
    Column("served", BigInteger, comment="when a pipeline took up the batch, by the clock of its machine"),
    Column("matched", BigInteger, comment="when the batch was matched, ranked and chosen from"),
    Column("received", BigInteger, comment="when the delivery was written here"),
    # The event comes first: new deliveries have new events, so they are inserted close together in the index.
    UniqueConstraint("event_id", "user_id"),
    comment="What was delivered: an event to a user at most once.",
)

DELIVERY_BLOCK = 16


def block_of(number: ColumnElement[int]) -> ColumnElement[int]:
    """The block of 65,536 deliveries that contains a number.

    The index by user is divided into blocks, and only its last block changes. So the cost of writing does not grow
    with the number of deliveries. A block has some 400 pages: in larger ones, most deliveries of a commit change a page
    of their own. Reading costs one look-up per block (`rankcast.store.blocks`).
    """
    return number.op(">>")(literal_column(str(DELIVERY_BLOCK)))  # with a parameter, databases would not use the index


delivery_block = block_of(deliveries.c.number)

# SQLite adds the number, which is the row id, to every index itself.
Index("ix_deliveries_user", delivery_block, deliveries.c.user_id).ddl_if(dialect="sqlite")
Index("ix_deliveries_user", delivery_block, deliveries.c.user_id, deliveries.c.number).ddl_if(dialect="postgresql")

progress = Table(
    "progress",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("event_offset", BigInteger, nullable=False),
    Column("catalog_version", _Number, ForeignKey(catalog_versions.c.version), nullable=False),
    comment="One row: up to where the event log has been worked off, with the deliveries committed.",
)

pipeline = Table(
    "pipeline",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False, comment="what identifies the pipeline; its checkpoint carries it too"),
    Column("engine", Text, nullable=False, comment="process, or spark"),
    Column("place", Text, nullable=False, comment="where its checkpoint is, for people; empty if it has none"),
    Column("shards", Integer, nullable=False),
    Column("start_offset", BigInteger, nullable=False, comment="where in the event log it began"),
    Column("start_version", BigInteger, nullable=False, comment="with which version of the catalog"),
    Column("last_batch", BigInteger, nullable=False, comment="the last one committed; -1 if there was none"),
    Column("claimed", BigInteger, nullable=False),
    Column("committed", BigInteger, comment="when the last batch was"),
    Column("events", BigInteger, nullable=False, comment="from here on, counts since it was claimed"),
    Column("matched", BigInteger, nullable=False),
    Column("delivered", BigInteger, nullable=False),
    Column("late", BigInteger, nullable=False),
    Column("rejected", BigInteger, nullable=False),
    Column("seconds", Double, nullable=False, comment="what the last batch took in the slowest shard"),
    Column("state_bytes", BigInteger, nullable=False, comment="of the delivery state"),
    comment="At most one row: which pipeline serves this store, and what it has done.",
)

rejects = Table(
    "rejects",
    metadata,
    Column("number", _Number, primary_key=True, autoincrement=False),
    Column("seen_at", BigInteger, nullable=False),
    Column("file", Text, nullable=False),
    Column("line", BigInteger, nullable=False),
    Column("reason", Text, nullable=False),
    Column("raw", LargeBinary, nullable=False, comment="UTF-8; lone surrogates kept"),
    Column("key", Text, unique=True, comment="what a pipeline rejects is kept once, however often it is read"),
    comment="Input that could not be used, and why.",
)

log_marks = Table(
    "log_marks",
    metadata,
    Column("name", Text, primary_key=True),
    Column("number", BigInteger, nullable=False),
    comment="The last number of each log from which rows were deleted, so that no number is given twice; see the module sql.",
)

broker_self = Table(
    "broker_self",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("lineage", Text, nullable=False, comment="random; a copy of the store has the same, a new store another"),
    Column("since", BigInteger, nullable=False, comment="the last event before the store became a broker"),
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
