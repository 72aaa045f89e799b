"""The database under a store: many concurrent readers, one writer at a time, and errors that say what to do."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from sqlalchemy import Connection, Engine, select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from rankcast.errors import StoreError
from rankcast.store import schema
from rankcast.store.places import without_passwords
from rankcast.store.turns import Turns, Turnstile

_INCREMENTAL = 2
_HELD_BACK = 0.05
"""Seconds for which an urgent transaction holds back the other writers of its process, at most."""
_LOCKED_VERSION = select(schema.store.c.schema_version).with_for_update()

Clock: TypeAlias = Callable[[], datetime]
Explain: TypeAlias = Callable[[BaseException, str, float], StoreError | None]
"""Translates a driver's error into a StoreError, given the place and how many seconds a writer waits for another."""


def system_clock() -> datetime:
    """The time of the system clock, in UTC."""
    return datetime.now(UTC)


class Database:
    """Transactions on one database.

    Thread-safe: each transaction has its own connection. Keep transactions short, and never yield to a caller inside
    one: a reader that stays open keeps SQLite's write-ahead log from shrinking.
    """

    def __init__(
        self, engine: Engine, writers: Engine, place: str, wait: float, clock: Clock, explain: Explain
    ) -> None:
        self.place = place
        self.clock = clock
        self._engine = engine
        self._writers = writers
        self._wait = wait
        self._explain = explain
        self._is_open = True
        self._turns = Turns()
        self._turnstile = Turnstile(Path(f"{place}-turns"))

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A read transaction. It sees one consistent state of the store."""
        with self._explaining(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self, is_urgent: bool = False, holds_back: bool = False) -> Iterator[Connection]:
        """A write transaction, all or nothing, with no other writer beside it. It is on disk when the block ends.

        In a file, an urgent one comes before the others of this process that wait. With `holds_back` it lets them wait
        until `let_go`, for 50 ms at most: the pipeline reacts to what it writes, and need not wait for them either.
        """
        with self.starting(is_urgent, holds_back) as connection:
            # SQLite has only one writer anyway; on other databases this row lock ensures it.
            version = connection.execute(_LOCKED_VERSION).scalar()
            if version != schema.SCHEMA_VERSION:
                raise StoreError(
                    f"the store {self.place!r} has schema version {version} now, not {schema.SCHEMA_VERSION}: it was upgraded "
                    "meanwhile; start this process again with the Rankcast that did it"
                )
            yield connection

    @contextmanager
    def starting(self, is_urgent: bool = False, holds_back: bool = False) -> Iterator[Connection]:
        """A write transaction on a database that may not have its tables yet."""
        with self._explaining(), ExitStack() as held:
            if self.is_file:
                held.enter_context(self._turn(is_urgent, holds_back))
                with self._turnstile.passing(self._wait) as is_next:
                    if not is_next:
                        raise self._busy()
                    connection = held.enter_context(self._writers.begin())
            else:  # other databases have a queue of their own
                connection = held.enter_context(self._writers.begin())
            yield connection

    @contextmanager
    def _turn(self, is_urgent: bool, holds_back: bool) -> Iterator[None]:
        """Among the threads of this process, wait for one's turn."""
        if not self._turns.take(self._wait, is_urgent):
            raise self._busy()
        if holds_back:
            self._turns.hold_back(_HELD_BACK)
        try:
            yield
        finally:
            self._turns.give_back()

    def let_go(self) -> None:
        """Let others write again whom an urgent transaction holds back."""
        self._turns.let_go()

    def _busy(self) -> StoreError:
        return StoreError(f"the store {self.place!r} is busy: writers have waited for over {self._wait:g} s; try again")

    @property
    def is_file(self) -> bool:
        """Whether the database is a local file, at `place`."""
        return self._engine.dialect.name == "sqlite"

    @property
    def catalog_file(self) -> Path | None:
        """Where a pipeline saves a version of the catalog, next to the database; None if that is not a local file."""
        return Path(f"{self.place}-catalog") if self.is_file else None

    def lasting_connection(self) -> Connection:
        """A separate connection outside any transaction, for locks that last as long as the connection.

        Not for SQLite. The caller must close it. Closing it also ends the session on the server.
        """
        with self._explaining():
            connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT", lasting=True)
            connection.detach()
            return connection

    def checkpoint(self) -> int:
        """Copy what was committed from the write-ahead log of a file into the file, beside readers and writers.

        Returns how many pages the log has, as far as they are copied. PostgreSQL does this by itself.
        """
        if not self.is_file:
            return 0
        with self._explaining(), self._writers.connect() as connection:
            driver = connection.connection.driver_connection
            assert driver is not None
            return max(0, int(driver.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()[2]))

    def shrink(self, pages: int) -> int:
        """Release up to `pages` free pages to the disk, in one short transaction. Returns how many remain.

        The result is 0 for PostgreSQL, which does this by itself, and for files created before this was possible (see
        `rewrite`).
        """
        if not self.is_file:
            return 0
        with self.writing() as connection:
            if connection.exec_driver_sql("PRAGMA auto_vacuum").scalar() != _INCREMENTAL:
                return 0
            driver = connection.connection.driver_connection
            assert driver is not None
            # SQLite frees one page per fetched row, and SQLAlchemy does not fetch rows without columns.
            driver.execute(f"PRAGMA incremental_vacuum({pages})").fetchall()
            return int(connection.exec_driver_sql("PRAGMA freelist_count").scalar_one())

    def rewrite(self) -> None:
        """Rewrite the database without its free space. This blocks other writers for some seconds per GB."""
        with self._explaining(), self._engine.connect() as connection:
            driver = connection.connection.driver_connection
            assert driver is not None
            if self.is_file:
                driver.execute("PRAGMA auto_vacuum = INCREMENTAL")  # from now on; files of earlier releases lack it
                driver.execute("VACUUM")
                driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            else:
                driver.autocommit = True
                try:
                    driver.execute("SET statement_timeout = 0")
                    driver.limit = None
                    for table in schema.metadata.sorted_tables:
                        driver.execute(f'VACUUM "{table.name}"')
                finally:
                    connection.invalidate()

    def close(self) -> None:
        """Close all connections. The store cannot be used afterwards."""
        self._is_open = False
        self._engine.dispose()
        self._writers.dispose()
        self._turnstile.close()

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        if not self._is_open:
            raise StoreError(f"the store {self.place!r} was closed; open it again")
        try:
            yield
        except SQLAlchemyError as error:
            cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
            raise self._explain(cause, self.place, self._wait) or StoreError(
                f"the store {self.place!r} failed: {without_passwords(str(cause))}"
            ) from error
        except UnicodeDecodeError as error:
            raise StoreError(f"the store {self.place!r} is damaged ({error}); restore it from a backup") from error
        except (UnicodeEncodeError, OverflowError) as error:
            raise StoreError(f"a value that the store {self.place!r} cannot hold: {error}") from error
