"""Everything specific to SQLite: connections, locks and explanations of errors.

A store keeps a write-ahead log next to its file (`-wal`, `-shm`), so that readers and the writer do not block each
other. Every commit flushes it, so that acknowledged data survives a crash of the machine.
"""

import os
import sqlite3
from pathlib import Path
from time import monotonic, sleep
from weakref import WeakSet

from sqlalchemy import Connection, Engine, QueuePool, create_engine, event
from sqlalchemy.exc import DBAPIError

from rankcast.errors import StoreError

_CAUSES = {
    sqlite3.SQLITE_NOTADB: "{place!r} is not a Rankcast store, or its first bytes are damaged: it is no SQLite file",
    sqlite3.SQLITE_CORRUPT: "the store {place!r} is damaged ({error}); restore it from a backup",
    sqlite3.SQLITE_BUSY: "the store {place!r} is locked: another process has been writing for over {wait:g} s; "
    "try again, or end that process",
    sqlite3.SQLITE_LOCKED: "the store {place!r} is locked by another connection; try again",
    sqlite3.SQLITE_CANTOPEN: "cannot open the store {place!r}; check that its folder exists and may be written",
    sqlite3.SQLITE_READONLY: "the store {place!r} may not be written; check the permissions of the file and its folder",
    sqlite3.SQLITE_PERM: "the store {place!r} may not be opened; check the permissions of the file and its folder",
    sqlite3.SQLITE_FULL: "no space is left for the store {place!r}; nothing of the last change was kept",
    sqlite3.SQLITE_IOERR: "the disk failed under the store {place!r} ({error})",
}
_FIRST_PAUSE = 0.001
_LONGEST_PAUSE = 0.01
_LONGER = 1.05
"""The factor from one pause to the next. They are below 2 ms for the first 20 ms, within which most writers finish."""
_BULK_PAGES = 131_072
_SERVED_PAGES = 16_384
"""Pages of 4 KiB in the write-ahead log from which on a commit copies them into the file."""
_engines: WeakSet[Engine] = WeakSet()


def connect(path: Path, wait: float, is_bulk: bool, is_writing: bool, is_served: bool = False) -> Engine:
    """Connections to an existing file, to read or to write. A writer waits up to `wait` seconds for another one.

    `is_bulk` suits processes that constantly write to all parts of the indexes. A connection then caches up to 256
    MiB of the file instead of 64, and the write-ahead log grows to 512 MiB before it is copied into the file. Pages
    that change often are therefore copied only once.

    `is_served` suits the processes of a service, where a thread copies the log into the file (`checkpoint`). Their
    commits do so only when the log has 64 MiB: to copy 4 MiB, SQLite's default, takes some 40 ms, for which the writer
    and those behind it wait.

    A transaction to write starts with `BEGIN IMMEDIATE`. Only writers turn on the write-ahead log, so that opening a
    file that is not a store does not change it.
    """
    uri = f"{path.absolute().as_uri()}?mode=rw"

    def opened() -> sqlite3.Connection:
        connection = sqlite3.connect(uri, uri=True, timeout=wait, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA foreign_keys = ON")
        if not path.stat().st_size:
            # Lets a new file shrink later, a few pages at a time. On a file with pages, this would wait for writers.
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA cache_size = -{(256 if is_bulk else 64) * 1024}")
        if is_bulk or is_served:
            connection.execute(f"PRAGMA wal_autocheckpoint = {_BULK_PAGES if is_bulk else _SERVED_PAGES}")
        if is_writing:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA busy_timeout = 0")  # `_begin_writing` waits
        return connection

    engine = create_engine("sqlite://", creator=opened, poolclass=QueuePool)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if is_writing:
            _begin_writing(connection, wait)
        else:
            connection.exec_driver_sql("BEGIN")

    _engines.add(engine)
    return engine


def _begin_writing(connection: Connection, wait: float) -> None:
    """Become the only writer, within `wait` seconds.

    SQLite itself retries only every 100 ms, so it could miss its turn repeatedly while others write all the time.
    """
    until, pause = monotonic() + wait, _FIRST_PAUSE
    while True:
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            return
        except DBAPIError as error:
            code = getattr(error.orig, "sqlite_errorcode", 0)
            if code & 0xFF != sqlite3.SQLITE_BUSY or monotonic() + pause > until:
                raise
        sleep(pause)
        pause = min(pause * _LONGER, _LONGEST_PAUSE)


def explain(error: BaseException, place: str, wait: float) -> StoreError | None:
    """What an error of SQLite means and what to do about it; None if there is nothing to add."""
    code = getattr(error, "sqlite_errorcode", None)
    # The low byte is the primary error code; the rest extends it.
    cause = None if code is None else _CAUSES.get(code & 0xFF)
    return None if cause is None else StoreError(cause.format(place=place, error=error, wait=wait))


def _close_idle() -> None:
    for engine in list(_engines):
        engine.dispose()


if hasattr(os, "register_at_fork"):
    # A child process that inherits an open connection does not hold SQLite's locks.
    os.register_at_fork(before=_close_idle)
