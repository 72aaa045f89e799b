"""Access tokens: the owner and role of each token. Only a hash of the token is stored."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import BigInteger, Column, LargeBinary, Table, Text, func, insert, select, update

from rankcast.errors import CatalogError
from rankcast.store import audit_log
from rankcast.store.audit_log import AuditAction
from rankcast.store.schema import DatabaseRow, datetime_of, metadata, microseconds
from rankcast.store.sql import Log

access_tokens = Table(
    "access_tokens",
    metadata,
    Column("id", Text, primary_key=True),
    Column("role", Text, nullable=False),
    Column("name", Text, comment="the user or the publisher; none for an administrator"),
    Column("note", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False, comment="a hash; the token itself is nowhere"),
    Column("created_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
    Column("expires_at", BigInteger, comment="of no use from then on; null for never"),
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
            connection.execute(insert(access_tokens).values(**row, created_at=microseconds(now)))
            ends = "" if expires is None else f", until {expires:%Y-%m-%d %H:%M}Z"
            detail = f"token {token_id} of role {role}{ends}"
            audit_log.note(connection, microseconds(now), AuditAction.CREATE_TOKEN, name, detail)
        return TokenRecord(token_id, role, name, note, digest, now, None, expires)

    def token(self, token_id: str) -> TokenRecord | None:
        """The token with this id, even if it was revoked; None if there is no such token."""
        row = self._first(select(access_tokens).where(access_tokens.c.id == token_id))
        return None if row is None else _kept(row)

    def tokens(self) -> list[TokenRecord]:
        """All tokens, including revoked ones, oldest first."""
        query = select(access_tokens).order_by(access_tokens.c.created_at, access_tokens.c.id)
        return [_kept(row) for row in self._all(query)]

    def is_empty(self) -> bool:
        """Whether no token was ever created."""
        with self._database.reading() as connection:
            return connection.execute(select(func.count()).select_from(access_tokens)).scalar_one() == 0

    def revocations(self) -> int:
        """The number of revoked tokens. It never decreases."""
        with self._database.reading() as connection:
            return connection.execute(select(func.count(access_tokens.c.revoked_at))).scalar_one()

    def revoke(self, token_id: str) -> None:
        """Revoke a token. A revoked token stays revoked."""
        known = access_tokens.c.id == token_id
        with self._database.writing() as connection:
            found = connection.execute(select(access_tokens).where(known)).first()
            if found is None:
                raise CatalogError(f"there is no token {token_id!r}")
            now = self._now()
            if found.revoked_at is None:
                connection.execute(update(access_tokens).where(known).values(revoked_at=now))
                audit_log.note(
                    connection, now, AuditAction.REVOKE_TOKEN, found.name, f"token {token_id} of role {found.role}"
                )


def _kept(row: DatabaseRow) -> TokenRecord:
    revoked = None if row.revoked_at is None else datetime_of(row.revoked_at)
    expires = None if row.expires_at is None else datetime_of(row.expires_at)
    return TokenRecord(
        row.id, row.role, row.name, row.note, bytes(row.digest), datetime_of(row.created_at), revoked, expires
    )
