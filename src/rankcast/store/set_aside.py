"""Events that could not be served, with the user and the error. They are set aside until they are served again."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b

from sqlalchemy import BigInteger, Column, Connection, Index, Table, Text, and_, func, or_, select, update

from rankcast.language import dumps
from rankcast.model import SetAside
from rankcast.store.schema import NUMBER, DatabaseRow, datetime_of, metadata, required
from rankcast.store.sql import Columns, Log, append_new, chunks, record_of
from rankcast.store.texts import escaped

set_aside = Table(
    "set_aside",
    metadata,
    Column("number", NUMBER, primary_key=True, autoincrement=False),
    required("seen_at", BigInteger),
    Column("user_id", Text, comment="whose service failed; null if the event failed for everybody"),
    Column("event_id", Text, comment="null if the user is not served at all from seq on"),
    required("seq", BigInteger),
    required("catalog_version", BigInteger),
    required("error", Text),
    required("key", Text, unique=True, comment="a hash of user, event and version"),
    Column("served_at", BigInteger, comment="when it was served again; null while it waits for that"),
    Index("ix_set_aside_served_at", "served_at"),
    comment="What could not be served, while everything else was.",
)

_LONGEST = 2_000
"""Maximum number of characters stored of an error."""

_CHUNK = 500


@dataclass(frozen=True, slots=True)
class KeptSetAside(SetAside):
    """A set-aside event with its row number, when it was stored, and when it was served again (None if pending)."""

    number: int
    when: datetime
    served: datetime | None


class SetAsideLog(Log):
    """The set-aside rows in the order they were stored."""

    def set_aside(self, user: str | None = None, limit: int | None = None, pending: bool = True) -> list[KeptSetAside]:
        """Events that could not be served, of one user or of all, oldest first. With a limit, the most recent ones.

        `pending` selects only the rows that were not served again.
        """
        query = select(set_aside).order_by(set_aside.c.number.desc()).limit(limit)
        if user is not None:
            query = query.where(set_aside.c.user_id == user)
        if pending:
            query = query.where(set_aside.c.served_at.is_(None))
        rows = self._all(query)
        return [_kept(row) for row in reversed(rows)]

    def failure(self, user: str, event_id: str, seq: int) -> KeptSetAside | None:
        """The row that says why an event was not served for a user; None if there is none."""
        column = set_aside.c
        not_served = and_(
            column.user_id == user, column.event_id.is_(None), column.seq <= seq, column.served_at.is_(None)
        )
        is_mine = or_(column.user_id == user, column.user_id.is_(None))
        query = select(set_aside).where(or_(and_(is_mine, column.event_id == event_id), not_served)).limit(1)
        return self._first(query, _kept)

    def set_aside_page(self, user: str | None, after: int, limit: int, pending: bool = True) -> list[KeptSetAside]:
        """The first rows after a number, oldest first. `user` and `pending` have the same meaning as in `set_aside`."""
        query = select(set_aside).where(set_aside.c.number > after).order_by(set_aside.c.number).limit(limit)
        if user is not None:
            query = query.where(set_aside.c.user_id == user)
        if pending:
            query = query.where(set_aside.c.served_at.is_(None))
        return [_kept(row) for row in self._all(query)]


def keep_set_aside(connection: Connection, rows: Iterable[SetAside], now: int) -> int:
    """Store set-aside rows, once per user, event and version. Returns the number of new rows."""
    kept = {_key(row): row for row in rows}
    return append_new(connection, set_aside.c.number, _columns(kept, now))


def mark_served(connection: Connection, numbers: Sequence[int], now: int) -> None:
    """Mark rows as served again."""
    for chunk in chunks(iter(numbers), _CHUNK):
        connection.execute(update(set_aside).where(set_aside.c.number.in_(chunk)).values(served_at=now))


def count_pending(connection: Connection) -> int:
    """The number of pending rows. Cost: a scan of those rows in an index."""
    return connection.execute(
        select(func.count()).select_from(set_aside).where(set_aside.c.served_at.is_(None))
    ).scalar_one()


def _key(row: SetAside) -> str:
    text = dumps([row.user, row.event, row.version])
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _columns(kept: dict[str, SetAside], now: int) -> Columns:
    rows = list(kept.values())
    return {
        "seen_at": [now] * len(rows),
        "user_id": [row.user for row in rows],
        "event_id": [row.event for row in rows],
        "seq": [row.seq for row in rows],
        "catalog_version": [row.version for row in rows],
        "error": [escaped(row.error)[:_LONGEST] for row in rows],
        "key": list(kept),
    }


def _kept(row: DatabaseRow) -> KeptSetAside:
    return record_of(KeptSetAside, row, version=row.catalog_version, when=datetime_of(row.seen_at))
