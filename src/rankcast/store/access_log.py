"""Access tokens and the sessions that they open on the page. Of both, only a hash is stored."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import sqlalchemy as sql

from rankcast.errors import CatalogError
from rankcast.store import audit_log
from rankcast.store.audit_log import AuditAction
from rankcast.store.engine import Database
from rankcast.store.schema import datetime_of, metadata, microseconds, required
from rankcast.store.sql import Log, record_of

access_tokens = sql.Table(
    "access_tokens",
    metadata,
    sql.Column("id", sql.Text, primary_key=True),
    required("role", sql.Text),
    sql.Column("name", sql.Text, comment="the user or the publisher; none for an administrator"),
    required("note", sql.Text),
    required("digest", sql.LargeBinary, comment="a hash; the token itself is nowhere"),
    required("created_at", sql.BigInteger),
    sql.Column("revoked_at", sql.BigInteger),
    sql.Column("expires_at", sql.BigInteger, comment="of no use from then on; null for never"),
    comment="Who may use the service.",
)


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """A stored access token, without the token itself."""

    id: str
    role: str
    name: str | None
    note: str
    digest: bytes
    created: datetime
    revoked: datetime | None
    expires: datetime | None = None


class AccessLog(Log):
    """The tokens of a store, in the order of their creation."""

    def keep(
        self,
        token_id: str,
        role: str,
        name: str | None,
        note: str,
        digest: bytes,
        expires: datetime | None = None,
    ) -> TokenRecord:
        """Store a new token by its hash."""
        now = self._database.clock()
        until = None if expires is None else microseconds(expires)
        row = {"id": token_id, "role": role, "name": name, "note": note, "digest": digest, "expires_at": until}
        with self._database.writing() as connection:
            connection.execute(sql.insert(access_tokens).values(**row, created_at=microseconds(now)))
            ends = "" if expires is None else f", until {expires:%Y-%m-%d %H:%M}Z"
            detail = f"token {token_id} of role {role}{ends}"
            audit_log.note(connection, microseconds(now), AuditAction.CREATE_TOKEN, name, detail)
        return TokenRecord(token_id, role, name, note, digest, now, None, expires)

    def token(self, token_id: str) -> TokenRecord | None:
        """The token with this id, even if it was revoked; None if there is no such token."""
        return self._first(sql.select(access_tokens).where(access_tokens.c.id == token_id), _token)

    def tokens(self) -> list[TokenRecord]:
        """All tokens, including revoked ones, oldest first."""
        query = sql.select(access_tokens).order_by(access_tokens.c.created_at, access_tokens.c.id)
        return [_token(row) for row in self._all(query)]

    def is_empty(self) -> bool:
        """Whether no token was ever created."""
        return self._value(sql.select(access_tokens.c.id).limit(1)) is None

    def revocations(self) -> int:
        """The number of revoked tokens. It never decreases."""
        return int(self._value(sql.select(sql.func.count(access_tokens.c.revoked_at))))

    def revoke(self, token_id: str) -> None:
        """Revoke a token. A revoked token stays revoked."""
        known = access_tokens.c.id == token_id
        with self._database.writing() as connection:
            found = connection.execute(sql.select(access_tokens).where(known)).first()
            if found is None:
                raise CatalogError(f"there is no token {token_id!r}")
            now = self._now()
            if found.revoked_at is None:
                connection.execute(sql.update(access_tokens).where(known).values(revoked_at=now))
                detail = f"token {token_id} of role {found.role}"
                audit_log.note(connection, now, AuditAction.REVOKE_TOKEN, found.name, detail)


_token = partial(record_of, TokenRecord)
_MOST_OF_TOKEN = 50

sessions = sql.Table(
    "sessions",
    metadata,
    sql.Column("id", sql.LargeBinary, primary_key=True, comment="a hash; what the browser holds is nowhere"),
    required("token_id", sql.Text, comment="the access token that opened it"),
    required("created_at", sql.BigInteger),
    required("expires_at", sql.BigInteger, comment="it ends then, however much it is used"),
    required("seen_at", sql.BigInteger, comment="when it was last used, to the minute"),
    sql.Index("sessions_of_token", "token_id"),
    comment="Who is signed in to the page.",
)


@dataclass(frozen=True, slots=True)
class LiveSession:
    """A session that is currently valid, and its user."""

    id: bytes
    token: str
    role: str
    name: str | None
    until: datetime
    """When it ends if it is not used again."""


class SessionLog(Log):
    """The sessions of a store.

    A session ends when it is unused for `idle`, when it is older than `length`, or when its token ends.
    """

    def __init__(self, database: Database, idle: timedelta, length: timedelta) -> None:
        super().__init__(database)
        self._idle = idle
        self._length = length

    def open(self, session: bytes, token: str) -> None:
        """Start a session for a token. A token has at most fifty sessions; the least recently used ones end."""
        now = self._database.clock()
        with self._database.writing() as connection:
            connection.execute(sql.delete(sessions).where(sessions.c.expires_at <= microseconds(now)))
            newest = (
                sql.select(sessions.c.id)
                .where(sessions.c.token_id == token)
                .order_by(sessions.c.seen_at.desc(), sessions.c.id)
                .limit(_MOST_OF_TOKEN - 1)
            )
            kept = [row.id for row in connection.execute(newest)]
            connection.execute(sql.delete(sessions).where(sessions.c.token_id == token, sessions.c.id.not_in(kept)))
            row = {"id": session, "token_id": token, "created_at": microseconds(now), "seen_at": microseconds(now)}
            connection.execute(sql.insert(sessions).values(**row, expires_at=microseconds(now + self._length)))

    def live(self) -> list[LiveSession]:
        """All sessions that are currently valid. One query."""
        now = self._database.clock()
        tokens = access_tokens.c
        query = (
            sql.select(sessions, tokens.role, tokens.name, tokens.expires_at.label("token_expires_at"))
            .join(access_tokens, tokens.id == sessions.c.token_id)
            .where(
                tokens.revoked_at.is_(None),
                sessions.c.expires_at > microseconds(now),
                sessions.c.seen_at > microseconds(now - self._idle),
            )
        )
        rows = self._all(query)
        found = []
        for row in rows:
            until = min(row.expires_at, row.seen_at + _span(self._idle))
            if row.token_expires_at is not None:
                until = min(until, row.token_expires_at)
            if until > microseconds(now):
                found.append(LiveSession(bytes(row.id), row.token_id, row.role, row.name, datetime_of(until)))
        return found

    def touch(self, used: Iterable[bytes]) -> None:
        """Record that sessions were used just now."""
        self._change(sql.update(sessions).where(sessions.c.id.in_(list(used))).values(seen_at=self._now()))

    def end(self, session: bytes) -> None:
        """End one session."""
        self._change(sql.delete(sessions).where(sessions.c.id == session))

    def end_of(self, role: str, name: str | None) -> int:
        """End all sessions of a user, or of the administrators. Returns how many there were."""
        theirs = sql.select(access_tokens.c.id).where(
            access_tokens.c.role == role, access_tokens.c.name.is_not_distinct_from(name)
        )
        with self._database.writing() as connection:
            count = connection.execute(sql.delete(sessions).where(sessions.c.token_id.in_(theirs))).rowcount
            audit_log.note(connection, self._now(), AuditAction.END_SESSIONS, name, f"{count} of role {role}")
        return count

    def end_all(self) -> int:
        """End all sessions of all users. Returns how many there were."""
        with self._database.writing() as connection:
            count = connection.execute(sql.delete(sessions)).rowcount
            audit_log.note(connection, self._now(), AuditAction.END_SESSIONS, None, f"{count} of everybody")
        return count


def _span(span: timedelta) -> int:
    """A time span in microseconds, the unit of the store's times."""
    return span // timedelta(microseconds=1)


def ended_sessions(connection: sql.Connection, now: datetime) -> list[tuple[int, bytes]]:
    """The sessions that have ended, with their ends, earliest first. Some end with their token."""
    tokens = access_tokens.c
    query = sql.select(sessions.c.id, sessions.c.expires_at, tokens.revoked_at, tokens.expires_at).join(
        access_tokens, tokens.id == sessions.c.token_id, isouter=True
    )
    ends = [(min(at for at in times if at is not None), bytes(one)) for one, *times in connection.execute(query)]
    return sorted(end for end in ends if end[0] <= microseconds(now))
