"""The database under a store: many readers, one writer at a time, and errors that say what to do."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TypeAlias

from sqlalchemy import Connection, Engine, select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from rankcast.errors import StoreError
from rankcast.store import schema
from rankcast.store.places import without_passwords

__all__ = ["Clock", "Database", "Explain", "system_clock"]

_INCREMENTAL = 2

Clock: TypeAlias = Callable[[], datetime]
Explain: TypeAlias = Callable[[BaseException, str, float], StoreError | None]
"""What a driver's error means for the store at a place, given how many seconds it waits for another writer."""


def system_clock() -> datetime:
    """The time of this machine, in UTC."""
    return datetime.now(UTC)


class Database:
    """Transactions on one database.

    Safe from several threads: each transaction has a connection of its own. Keep transactions short, and never
    hand control to a caller within one: a reader that lingers keeps SQLite's write-ahead log from shrinking.
    """

    def __init__(self, engine: Engine, place: str, wait: float, clock: Clock, explain: Explain) -> None:
        self.place = place
        self.clock = clock
        self._engine = engine
        self._writers = engine.execution_options(writer=True)
        self._wait = wait
        self._explain = explain
        self._is_open = True

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the store throughout."""
        with self._explaining(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that no other writer runs beside, all or nothing; on disk when the block is left."""
        with self.starting() as connection:
            # SQLite has but one writer anyway; elsewhere this lock makes it so.
            version = connection.execute(select(schema.store.c.schema_version).with_for_update()).scalar()
            if version != schema.SCHEMA_VERSION:
                raise StoreError(
                    f"the store {self.place!r} has schema version {version} now, not {schema.SCHEMA_VERSION}: it was upgraded "
                    "meanwhile; start this process again with the Rankcast that did it"
                )
            yield connection

    @contextmanager
    def starting(self) -> Iterator[Connection]:
        """A writing transaction on a database that may not have the tables yet."""
        with self._explaining(), self._writers.begin() as connection:
            yield connection

    @property
    def is_file(self) -> bool:
        """Whether it is a file of this machine, at `place`."""
        return self._engine.dialect.name == "sqlite"

    def lasting_connection(self) -> Connection:
        """A connection of one's own, outside of any transaction, for locks that last as long as it does; not of SQLite.

        Whoever asks for it closes it: the server's end of it ends then, too.
        """
        with self._explaining():
            connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT", lasting=True)
            connection.detach()
            return connection

    def shrink(self, pages: int) -> int:
        """Give so many pages that are free back to the disk, in one short transaction; how many are left.

        0 where that goes by itself (PostgreSQL), and for a file that was made before it could (see `rewrite`).
        """
        if not self.is_file:
            return 0
        with self.writing() as connection:
            if connection.exec_driver_sql("PRAGMA auto_vacuum").scalar() != _INCREMENTAL:
                return 0
            driver = connection.connection.driver_connection
            assert driver is not None
            # It frees a page with each row that is asked for, and rows without columns are nothing to SQLAlchemy.
            driver.execute(f"PRAGMA incremental_vacuum({pages})").fetchall()
            return int(connection.exec_driver_sql("PRAGMA freelist_count").scalar_one())

    def rewrite(self) -> None:
        """Write the database anew without what is free in it. Nobody else can write meanwhile: some seconds per GB."""
        with self._explaining(), self._engine.connect() as connection:
            driver = connection.connection.driver_connection
            assert driver is not None
            if self.is_file:
                driver.execute("PRAGMA auto_vacuum = INCREMENTAL")  # from now on, also for a file of an earlier release
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
        """Let go of all connections; the store cannot be used any more."""
        self._is_open = False
        self._engine.dispose()

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
