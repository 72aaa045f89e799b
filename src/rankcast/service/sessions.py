"""Sessions of the page: stored in the store, with an expiry time."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b
from secrets import token_urlsafe
from threading import Lock
from time import monotonic

from rankcast.service.access import Access, Principal, Role
from rankcast.store import Store
from rankcast.store.access_log import LiveSession, SessionLog

_REMEMBERED = 1.0
_NOTED = 60.0
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Session:
    """A signed-in session: its hash, and its principal."""

    id: str
    principal: Principal


class Sessions:
    """The sessions of a store.

    All valid sessions are read together, at most once a second. A session therefore ends within a second when it is
    closed, or when its token is revoked or expires, even if another process did it.

    A session is 256 random bits that only the browser has. It is not the token, so whoever reads it cannot use the
    API, and it ends when the user signs out.
    """

    def __init__(
        self,
        store: Store,
        access: Access,
        idle: timedelta,
        length: timedelta,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._log = SessionLog(store.database, idle, length)
        self._now: Callable[[], datetime] = store.database.clock
        self._access = access
        self._clock = clock
        self._live: dict[bytes, LiveSession] = {}
        self._read = float("-inf")
        self._used: set[bytes] = set()
        self._noted = clock()
        self._lock = Lock()
        self._writer = ThreadPoolExecutor(1, "rankcast-sessions")
        self._reader = ThreadPoolExecutor(2, "rankcast-admission")
        """Its own, so that no request delays the admission of others."""

    def open(self, token: str) -> str | None:
        """Sign in with a token of a user or an administrator. Returns the browser's secret, or None."""
        principal = self._access.check(token)
        if principal is None or principal.role in (Role.PUBLISHER, Role.BROKER):
            return None
        secret = token_urlsafe(32)
        self._log.open(_digest(secret), principal.token)
        self._forget()
        return secret

    def check(self, secret: str) -> Session | None:
        """The session of a secret, or None if it is unknown or has ended."""
        if not secret or len(secret) > _LONGEST:
            return None
        now = self._clock()
        if now - self._read >= _REMEMBERED:
            self._look(now)
        digest = _digest(secret)
        found = self._live.get(digest)
        if found is None or found.until <= self._now():
            return None
        self._used.add(digest)
        return Session(digest.hex(), Principal(Role(found.role), found.name, found.token))

    async def admit(self, secret: str) -> Session | None:
        """Like `check`, but reads the store in a thread."""
        if not secret or self._clock() - self._read < _REMEMBERED:
            return self.check(secret)
        return await asyncio.get_running_loop().run_in_executor(self._reader, self.check, secret)

    def end(self, secret: str) -> None:
        """Sign out."""
        self._log.end(_digest(secret))
        self._forget()

    def end_of(self, principal: Principal) -> int:
        """End all sessions of a user, or of the administrators. Returns how many there were."""
        count = self._log.end_of(principal.role.value, principal.name)
        self._forget()
        return count

    def end_of_user(self, user: str) -> int:
        """End all sessions of a user. Returns how many there were."""
        count = self._log.end_of(Role.USER.value, user)
        self._forget()
        return count

    def end_all(self) -> int:
        """End all sessions. Returns how many there were."""
        count = self._log.end_all()
        self._forget()
        return count

    def close(self) -> None:
        """Write what is still pending."""
        self._writer.shutdown()
        self._reader.shutdown(wait=False)

    def _look(self, now: float) -> None:
        with self._lock:
            if now - self._read < _REMEMBERED:  # another thread has just read them
                return
            self._live = {one.id: one for one in self._log.live()}
            self._read = now
            if self._used and now - self._noted >= _NOTED:
                used, self._used, self._noted = self._used, set(), now
                self._writer.submit(self._log.touch, used)  # it may have to wait, so do it in the background

    def _forget(self) -> None:
        with self._lock:
            self._read = float("-inf")


def _digest(secret: str) -> bytes:
    return blake2b(secret.encode("utf-8", "replace"), digest_size=32, person=b"rankcast-sessio").digest()
