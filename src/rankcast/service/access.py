"""Who may do what: tokens of users, publishers and administrators.

A token is 256 random bits, shown once; the store keeps its BLAKE2b hash. A slow hash (scrypt) protects passwords, which
people choose and others can guess; nobody can guess 256 random bits, so a fast hash is as safe and no request can be used to
burn the processor.
"""

import asyncio
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import blake2b
from hmac import compare_digest
from re import compile as pattern
from secrets import token_bytes, token_hex
from threading import Lock
from time import monotonic

from rankcast.errors import ModelError
from rankcast.model import check_name
from rankcast.model.actors import Actor
from rankcast.model.declared import Name
from rankcast.store import Store
from rankcast.store.access_log import AccessLog, TokenRecord

__all__ = ["ADMINISTRATOR", "Access", "Principal", "Role", "actor_of"]

_TOKEN = pattern(r"rc_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")
_REMEMBERED = 1.0
_MANY = 10_000
_LONGEST = timedelta(days=36_500)


class Role(StrEnum):
    """What a token is for: one user's own things; publishing under one name; everything."""

    USER = "user"
    PUBLISHER = "publisher"
    ADMINISTRATOR = "administrator"


@dataclass(frozen=True, slots=True)
class Principal:
    """One who was let in: with which token, in which role, under which name."""

    role: Role
    name: str | None
    token: str

    @property
    def is_administrator(self) -> bool:
        """Whether they may do everything."""
        return self.role is Role.ADMINISTRATOR

    def is_user(self, name: str) -> bool:
        """Whether that user's things are theirs to see and change."""
        return self.is_administrator or (self.role is Role.USER and self.name == name)

    def is_publisher(self, name: str) -> bool:
        """Whether they may publish under that name."""
        return self.is_administrator or (self.role is Role.PUBLISHER and self.name == name)


def actor_of(principal: Principal) -> Actor:
    """Who somebody is in the audit trail: by name if it is a user or a publisher, else by the id of the token."""
    if principal.is_administrator:
        return Actor(f"administrator {principal.token}")
    return Actor(f"{principal.role} {principal.name}", own=principal.name)


ADMINISTRATOR = Principal(Role.ADMINISTRATOR, None, "dev")
"""Everybody, in a service that was started for development."""


class Access:
    """The tokens of a store. What `check` found is remembered; once a second, at most, a look at how many tokens were revoked
    says whether to forget it. So a revoked token is refused within a second, and many tokens cost no more than one."""

    def __init__(self, store: Store) -> None:
        self._log = AccessLog(store.database)
        self._now = store.database.clock
        self._principals: dict[bytes, tuple[Principal, datetime | None]] = {}
        self._strangers: dict[bytes, float] = {}
        self._revocations = 0
        self._looked = float("-inf")
        self._lock = Lock()

    def create(
        self, role: Role, name: str | None = None, note: str = "", lasts: timedelta | None = None
    ) -> tuple[str, TokenRecord]:
        """A new token, which cannot be had again, and what is kept of it. It is of no use after `lasts`, if that is given."""
        if lasts is not None and not timedelta(seconds=1) <= lasts <= _LONGEST:
            raise ModelError(f"a token that expires after {lasts}; it must be after 1 second to {_LONGEST.days:,} days")
        if (name is None) != (role is Role.ADMINISTRATOR):
            raise ModelError("a token is of a user or a publisher by name, or of an administrator without one")
        if name is not None:
            check_name("the name of a token", name)
        check_name("the note of a token", note, Name(0, 1_000))
        token_id = token_hex(6)
        secret = urlsafe_b64encode(token_bytes(32)).rstrip(b"=").decode()
        token = f"rc_{token_id}_{secret}"
        expires = None if lasts is None else self._now() + lasts
        return token, self._log.keep(token_id, role.value, name, note, _digest(token), expires)

    def tokens(self) -> list[TokenRecord]:
        """What is kept of all tokens, oldest first."""
        return self._log.tokens()

    def revoke(self, token_id: str) -> None:
        """Let a token be of no use."""
        self._log.revoke(token_id)
        with self._lock:
            self._looked = float("-inf")

    def is_empty(self) -> bool:
        """Whether no token was ever made."""
        return self._log.is_empty()

    async def admit(self, token: str) -> Principal | None:
        """As `check`; a look at the store is in a thread, so that a store that hangs holds up nobody else on the event loop."""
        now = monotonic()
        if _TOKEN.fullmatch(token) is None or (now - self._looked < _REMEMBERED and _digest(token) in self._principals):
            return self.check(token)
        return await asyncio.to_thread(self.check, token)

    def check(self, token: str) -> Principal | None:
        """Whose token it is; None if it is none, was revoked or has expired."""
        found = _TOKEN.fullmatch(token)
        if found is None:
            return None
        digest = _digest(token)
        now = monotonic()
        if now - self._looked >= _REMEMBERED:
            self._look(now)
        principal = None
        if (remembered := self._principals.get(digest)) is not None:
            principal, expires = remembered
            return principal if expires is None or self._now() < expires else None
        if now - self._strangers.get(digest, float("-inf")) < _REMEMBERED:
            return None
        known = self._revocations
        kept = self._log.token(found[1])
        if kept is not None and compare_digest(kept.digest, digest) and not _is_over(kept, self._now()):
            principal = Principal(Role(kept.role), kept.name, kept.id)
        with self._lock:
            if len(self._principals) + len(self._strangers) >= _MANY:
                self._forget()
            if principal is None:
                self._strangers[digest] = now
            elif known == self._revocations:  # else it may have been revoked since it was read
                self._principals[digest] = principal, None if kept is None else kept.expires
        return principal

    def _look(self, now: float) -> None:
        revocations = self._log.revocations()
        with self._lock:
            self._looked = now
            if revocations != self._revocations:
                self._revocations = revocations
                self._forget()

    def forget(self) -> None:
        """Look at the store again before the next token is let in."""
        with self._lock:
            self._looked = float("-inf")

    def _forget(self) -> None:
        self._principals.clear()
        self._strangers.clear()


def _is_over(token: TokenRecord, now: datetime) -> bool:
    return token.revoked is not None or (token.expires is not None and token.expires <= now)


def _digest(token: str) -> bytes:
    return blake2b(token.encode(), digest_size=32, person=b"rankcast-token").digest()
