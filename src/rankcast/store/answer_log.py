"""Responses by idempotency key: a repeated request gets the response of the first one."""

from collections import Counter
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import BigInteger, Column, Index, LargeBinary, Table, Text, delete, func, insert, select, update

from rankcast.errors import CatalogError
from rankcast.store.engine import Database
from rankcast.store.schema import datetime_of, metadata, microseconds, required
from rankcast.store.sql import Log

KEPT_FOR = timedelta(days=2)
"""How long a response is kept."""
_MOST = 64 * 1024 * 1024
"""Bytes of the responses that are kept for one owner, each with `_OWN` bytes for its key."""
_OWN = 512
_PARTS = 16
"""Into so many parts the most is divided. After each new part, older responses are counted and may go."""

kept_answers = Table(
    "kept_answers",
    metadata,
    Column("owner", Text, primary_key=True, comment="the token that sent the request"),
    Column("key", Text, primary_key=True),
    required("request", LargeBinary, comment="a hash of the request"),
    required("first_at", BigInteger),
    Column("answer", LargeBinary, comment="none while the first request is at work, or if it never finished"),
    Index("ix_kept_answers_first_at", "first_at"),
    comment="What was answered to requests with an idempotency key.",
)


class ReservedKey(NamedTuple):
    """A key in use: when it was first seen, and its response if there is one yet."""

    first: datetime
    answer: bytes | None


class AnswerLog(Log):
    """Responses by owner and key, kept for two days, and up to `most` bytes (64 MiB) of each owner.

    The oldest responses of an owner who has more go first. Those of others stay. The bytes are checked after each new
    sixteenth of the most, which reads all responses of the owner once.
    """

    def __init__(self, database: Database, most: int = _MOST) -> None:
        super().__init__(database)
        self._most = most
        self._new: Counter[str] = Counter()
        """Bytes since the last check, by owner."""

    def reserve(self, owner: str, key: str, request: bytes) -> ReservedKey:
        """Reserve a key for a request, given by its hash, or return what is known about the key.

        Raises an error if the key was used for a different request.
        """
        now = self._database.clock()
        found = (kept_answers.c.owner == owner) & (kept_answers.c.key == key)
        with self._database.writing() as connection:
            connection.execute(delete(kept_answers).where(kept_answers.c.first_at < microseconds(now - KEPT_FOR)))
            row = connection.execute(select(kept_answers).where(found)).first()
            if row is None:
                new = insert(kept_answers).values(owner=owner, key=key, request=request, first_at=microseconds(now))
                connection.execute(new)
        if row is None:
            self._note(owner, _OWN)
            return ReservedKey(now, None)
        if bytes(row.request) != request:
            raise CatalogError(f"the idempotency key {key!r} was used for another request; use a new key for each")
        return ReservedKey(datetime_of(row.first_at), None if row.answer is None else bytes(row.answer))

    def keep(self, owner: str, key: str, answer: bytes) -> None:
        """Store the response. The first response for a key is never replaced."""
        found = (kept_answers.c.owner == owner) & (kept_answers.c.key == key) & kept_answers.c.answer.is_(None)
        with self._database.writing() as connection:
            connection.execute(update(kept_answers).where(found).values(answer=answer))
        self._note(owner, len(answer))

    def _note(self, owner: str, size: int) -> None:
        """Count new bytes of an owner, and delete old responses when there are many."""
        self._new[owner] += size
        if self._new[owner] * _PARTS > self._most:
            del self._new[owner]
            self._forget_oldest(owner)

    def _forget_oldest(self, owner: str) -> None:
        """Delete the oldest responses of an owner who has too many bytes."""
        own = kept_answers.c.owner == owner
        size = func.coalesce(func.length(kept_answers.c.answer), 0)
        sizes = select(kept_answers.c.first_at, size).where(own).order_by(kept_answers.c.first_at.desc())
        taken, oldest = 0, None
        with self._database.reading() as connection:
            for first_at, bytes_of_it in connection.execute(sizes):
                taken += bytes_of_it + _OWN
                if taken > self._most:
                    oldest = first_at
                    break
        if oldest is not None:
            with self._database.writing() as connection:
                connection.execute(delete(kept_answers).where(own, kept_answers.c.first_at <= oldest))
