"""Access control: the tokens of users, publishers, administrators and brokers.

A token is 256 random bits. It is shown once, and the store keeps only its BLAKE2b hash. Passwords need a slow hash
such as scrypt, because people choose them and attackers can guess them. Nobody can guess 256 random bits, so a fast
hash is as safe here, and requests with invalid tokens cannot exhaust the processor.
"""

import asyncio
from base64 import urlsafe_b64encode
from concurrent.futures import ThreadPoolExecutor
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
from rankcast.language.times import LONGEST_DURATION
from rankcast.model import check_name
from rankcast.model.actors import Actor
from rankcast.model.declared import Name
from rankcast.store import Store
from rankcast.store.access_log import AccessLog, TokenRecord

_TOKEN = pattern(r"rc_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")
_REMEMBERED = 1.0
_MANY = 10_000


class Role(StrEnum):
    """The purpose of a token: a user's own data, publishing under one name, everything, or being an edge."""

    USER = "user"
    PUBLISHER = "publisher"
    ADMINISTRATOR = "administrator"
    BROKER = "broker"


@dataclass(frozen=True, slots=True)
class Principal:
    """An authenticated caller: its role, its name and the id of its token."""

    role: Role
    name: str | None
    token: str

    @property
    def is_administrator(self) -> bool:
        """Whether the caller may do everything."""
        return self.role is Role.ADMINISTRATOR

    def is_user(self, name: str) -> bool:
        """Whether the caller may see and change the data of this user."""
        return self.is_administrator or (self.role is Role.USER and self.name == name)

    def is_publisher(self, name: str) -> bool:
        """Whether the caller may publish under this name."""
        return self.is_administrator or (self.role is Role.PUBLISHER and self.name == name)


def actor_of(principal: Principal) -> Actor:
    """The actor to record in the audit trail: the name of a user or publisher, otherwise the id of the token."""
    if principal.is_administrator:
        return Actor(f"administrator {principal.token}")
    return Actor(f"{principal.role} {principal.name}", own=principal.name)


ADMINISTRATOR = Principal(Role.ADMINISTRATOR, None, "dev")
"""Every caller of a service that was started in development mode."""


class Access:
    """The tokens of a store, with a cache of accepted and rejected tokens.

    At most once a second, `check` reads how many tokens were revoked, and clears the cache if the number has changed.
    A revoked token is therefore refused within a second, and checking many tokens costs no more than checking one.
    """

    def __init__(self, store: Store) -> None:
        self._log = AccessLog(store.database)
        self._now = store.database.clock
        self._principals: dict[bytes, tuple[Principal, datetime | None]] = {}
        self._strangers: dict[bytes, float] = {}
        self._revocations = 0
        self._looked = float("-inf")
        self._lock = Lock()
        self._reader = ThreadPoolExecutor(2, "rankcast-access")
        """Its own, so that no request delays the admission of others."""

    def close(self) -> None:
        """Look up no more tokens."""
        self._reader.shutdown(wait=False)

    def create(
        self, role: Role, name: str | None = None, note: str = "", lasts: timedelta | None = None
    ) -> tuple[str, TokenRecord]:
        """Create a token. Return its text, which cannot be read again, and the stored record.

        The token expires after `lasts`, if given.
        """
        if lasts is not None and not timedelta(seconds=1) <= lasts <= LONGEST_DURATION:
            raise ModelError(
                f"a token that expires after {lasts}; it must be after 1 second to {LONGEST_DURATION.days:,} days"
            )
        if (name is None) != (role is Role.ADMINISTRATOR):
            raise ModelError(
                "a token is of a user, a publisher or a broker by name, or of an administrator without one"
            )
        if name is not None:
            check_name("the name of a token", name)
        check_name("the note of a token", note, Name(0, 1_000))
        token_id = token_hex(6)
        secret = urlsafe_b64encode(token_bytes(32)).rstrip(b"=").decode()
        token = f"rc_{token_id}_{secret}"
        expires = None if lasts is None else self._now() + lasts
        return token, self._log.keep(token_id, role.value, name, note, _digest(token), expires)

    def tokens(self) -> list[TokenRecord]:
        """The stored records of all tokens, oldest first."""
        return self._log.tokens()

    def revoke(self, token_id: str) -> None:
        """Revoke a token."""
        self._log.revoke(token_id)
        with self._lock:
            self._looked = float("-inf")

    def is_empty(self) -> bool:
        """Whether no token was ever created."""
        return self._log.is_empty()

    async def admit(self, token: str) -> Principal | None:
        """Like `check`, but reads the store in a thread, so that a store that hangs does not block the event loop."""
        if _TOKEN.fullmatch(token) is None or (monotonic() - self._looked < _REMEMBERED and self.remembers(token)):
            return self.check(token)
        return await asyncio.get_running_loop().run_in_executor(self._reader, self.check, token)

    def remembers(self, token: str) -> bool:
        """Whether the token was valid when it was last looked up. Of any other, nothing is known without the store."""
        return _digest(token) in self._principals

    def check(self, token: str) -> Principal | None:
        """The principal of a token, or None if the token is unknown, revoked or expired."""
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
            elif known == self._revocations:  # otherwise it may have been revoked since it was read
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
        """Clear the cache, so that the next token is looked up in the store."""
        with self._lock:
            self._looked = float("-inf")

    def _forget(self) -> None:
        self._principals.clear()
        self._strangers.clear()


def _is_over(token: TokenRecord, now: datetime) -> bool:
    return token.revoked is not None or (token.expires is not None and token.expires <= now)


def _digest(token: str) -> bytes:
    return blake2b(token.encode(), digest_size=32, person=b"rankcast-token").digest()
