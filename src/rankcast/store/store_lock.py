"""One pipeline per store: a lock that lasts as long as its process."""

import os
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from rankcast.errors import StoreError
from rankcast.store.store import Store

_POLL = 0.05
_KEY = "hashtext('rankcast pipeline'), hashtext(current_schema())"


class StoreLock:
    """The right to serve a store from this process. It is refused at once while another process holds it.

    For a store in a file, it is a lock on an empty file `-serving` beside it, which the system releases when the
    process ends for any reason. In PostgreSQL, it is an advisory lock of one connection, which the server releases
    when that connection ends. A process that loses the connection must take the lock again. In any case,
    `Store.commit` refuses a second pipeline.

    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> with Store.create(f"{folder.name}/movies.db") as store, StoreLock(store):
    ...     StoreLock(store).take()
    Traceback (most recent call last):
    rankcast.errors.StoreError: the store '...' is served by another process already; end that one first
    >>> folder.cleanup()
    """

    def __init__(self, store: Store, advice: str = "end that one first") -> None:
        self._store = store
        self._advice = advice
        self._held: _FileLock | _ConnectionLock | None = None

    def take(self, patience: float = 0.0) -> None:
        """Take the lock, or verify that it is still held. Raises StoreError if another process holds it.

        `patience` is how many seconds to wait for a process that is about to end.
        """
        if self._held is not None and self._held.is_held():
            return
        self.give_back()
        until = monotonic() + patience
        while True:
            held = self._try()
            if held is not None:
                self._held = held
                return
            if monotonic() >= until:
                place = self._store.database.place
                raise StoreError(f"the store {place!r} is served by another process already; {self._advice}")
            sleep(_POLL)

    def give_back(self) -> None:
        """Release the lock, so that another process can serve the store."""
        held, self._held = self._held, None
        if held is not None:
            held.release()

    def __enter__(self) -> "StoreLock":
        self.take()
        return self

    def __exit__(self, *error: object) -> None:
        self.give_back()

    def _try(self) -> "_FileLock | _ConnectionLock | None":
        database = self._store.database
        if database.is_file:
            return _FileLock.of(Path(f"{database.place}-serving"))
        connection = database.lasting_connection()
        lock = _ConnectionLock(connection)
        try:
            is_free = connection.exec_driver_sql(f"SELECT pg_try_advisory_lock({_KEY})").scalar()
        except SQLAlchemyError as error:
            lock.release()
            raise StoreError(f"the store {database.place!r} cannot be locked; try again") from error
        if is_free:
            return lock
        lock.release()
        return None


class _FileLock:
    """A lock on a file beside the store."""

    def __init__(self, file: int) -> None:
        self._file = file

    @classmethod
    def of(cls, path: Path) -> "_FileLock | None":
        """Take the lock; None if another process holds it."""
        try:
            import fcntl
        except ImportError:  # this system has no such locks
            return cls(-1)
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
            return None
        return cls(file)

    def is_held(self) -> bool:
        return True

    def release(self) -> None:
        with suppress(OSError):
            os.close(self._file)


class _ConnectionLock:
    """An advisory lock of PostgreSQL, which ends with its connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def is_held(self) -> bool:
        try:
            self._connection.exec_driver_sql("SELECT 1")
        except SQLAlchemyError:
            return False
        return True

    def release(self) -> None:
        with suppress(SQLAlchemyError):
            self._connection.close()
