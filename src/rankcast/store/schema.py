"""The tables of a store, in SQL that SQLite and PostgreSQL share.

Logs are numbered from 1 without gaps, in the order of their commits, by the one writer that a store has at a
time (`rankcast.store.engine`); so a reader that has seen number n has seen all before it. Times are integers:
microseconds since 1970 in UTC, which sort and lose nothing.
"""

from datetime import datetime, timedelta

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

from rankcast.model import EPOCH

__all__ = [
    "SCHEMA_VERSION",
    "catalog_changes",
    "catalog_records",
    "catalog_versions",
    "datetime_of",
    "deliveries",
    "events",
    "metadata",
    "microseconds",
    "progress",
    "rejects",
    "shard_states",
    "store",
]

SCHEMA_VERSION = 1
"""Raised with every change of the tables; a store of another version is refused."""

# Only an INTEGER primary key is the row's own address in SQLite; PostgreSQL's INTEGER has but 32 bits.
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
    UniqueConstraint("user_id", "event_id"),
    Index("ix_deliveries_user", "user_id", "number"),
    comment="What was delivered: an event to a user at most once.",
)

progress = Table(
    "progress",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("event_offset", BigInteger, nullable=False),
    Column("catalog_version", _Number, ForeignKey(catalog_versions.c.version), nullable=False),
    comment="One row: up to where the event log has been worked off, with the deliveries committed.",
)

shard_states = Table(
    "shard_states",
    metadata,
    Column("shard", Integer, primary_key=True, autoincrement=False),
    Column("state", LargeBinary, nullable=False),
    comment="The delivery state of each shard at the progress.",
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
    comment="Input that could not be used, and why.",
)


def microseconds(time: datetime) -> int:
    """A time as it stands in a column: microseconds since 1970.

    >>> microseconds(datetime.fromisoformat("2004-02-13T20:05:00.000001+00:00"))
    1076702700000001
    """
    return (time - EPOCH) // timedelta(microseconds=1)


def datetime_of(microseconds: int) -> datetime:
    """The time that a column holds.

    >>> datetime_of(1076702700000001).isoformat()
    '2004-02-13T20:05:00.000001+00:00'
    """
    return EPOCH + timedelta(microseconds=microseconds)
