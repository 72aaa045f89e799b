"""Rejects: input that could not be used, stored with the reason."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b

from sqlalchemy import Connection, select

from rankcast.model import Reject
from rankcast.store.schema import DatabaseRow, datetime_of
from rankcast.store.schema import rejects as log
from rankcast.store.sql import Columns, Log, append_new
from rankcast.store.texts import escaped, readable


@dataclass(frozen=True, slots=True)
class KeptReject(Reject):
    """A reject, and when it was stored."""

    when: datetime


class RejectLog(Log):
    """The rejects in the order they were stored."""

    def reject(self, rejects: Iterable[Reject]) -> None:
        """Store rejects in one transaction."""
        kept = [(None, reject, self._now()) for reject in rejects]
        if kept:
            with self._database.writing() as connection:
                append_new(connection, log.c.number, _columns(kept))

    def rejects(self, limit: int | None = None) -> list[KeptReject]:
        """The rejects, oldest first. With a limit, the most recent ones."""
        query = select(log).order_by(log.c.number.desc()).limit(limit)
        rows = self._all(query)
        with readable("a reject"):
            return [_kept(row) for row in reversed(rows)]


def keep(connection: Connection, rejects: Sequence[tuple[str, Reject]], now: int) -> int:
    """Store rejects by key, each key once. Returns the number of new rejects."""
    return append_new(connection, log.c.number, _columns([(_digest(key), reject, now) for key, reject in rejects]))


def _columns(rejects: Sequence[tuple[str | None, Reject, int]]) -> Columns:
    return {
        "seen_at": [seen for _, _, seen in rejects],
        "file": [escaped(reject.file) for _, reject, _ in rejects],
        "line": [reject.line for _, reject, _ in rejects],
        "reason": [escaped(reject.reason) for _, reject, _ in rejects],
        "raw": [reject.raw.encode("utf-8", "surrogatepass") for _, reject, _ in rejects],
        "key": [key for key, _, _ in rejects],
    }


def _digest(key: str) -> str:
    """A short form of a key. A key may be a whole message, which is too long for an index."""
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _kept(row: DatabaseRow) -> KeptReject:
    raw = row.raw.decode("utf-8", "surrogatepass")
    return KeptReject(row.file, row.line, row.reason, raw, when=datetime_of(row.seen_at))
