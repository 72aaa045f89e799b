"""Open or create a store given by a path or a URL, and check that this release can use it."""

import os
import shlex
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, insert, inspect, make_url, select
from sqlalchemy.exc import ArgumentError

from rankcast.errors import OutdatedStore, StoreError
from rankcast.store import postgresql, schema, sqlite
from rankcast.store.engine import Clock, Database, system_clock
from rankcast.store.places import shown_place
from rankcast.store.texts import readable


class ConnectionSettings(NamedTuple):
    """How a process uses a database. A writer waits up to `wait` seconds for another; `Store.open` explains the rest."""

    wait: float = 30.0
    clock: Clock = system_clock
    is_bulk: bool = False
    is_served: bool = False


USUAL = ConnectionSettings()


def create_database(path_or_url: str | os.PathLike[str], exist_ok: bool, settings: ConnectionSettings) -> Database:
    """Create the tables of a store. With `exist_ok`, an existing store is opened as by `open_database`."""
    path = path_of(path_or_url)
    if path is not None:
        if not path.parent.is_dir():
            raise StoreError(f"no folder {str(path.parent)!r}; create it first")
        try:
            if not path.exists():
                # Token hashes, webhook secrets and reading habits are private.
                path.touch(mode=0o600)
        except OSError as error:
            raise StoreError(f"cannot create a store at {str(path)!r}: {error.strerror}") from None
    database = connect_database(path_or_url, settings)
    try:
        with database.reading() as connection:
            version = schema_version(connection, database.place)
        if version is None:
            version = _create_tables(database)
        if version is not None:
            if not exist_ok:
                raise StoreError(f"there is a store at {database.place!r} already; open that, or choose another place")
            _complete(database, version, path_or_url)
    except StoreError:
        database.close()
        raise
    return database


def open_database(path_or_url: str | os.PathLike[str], settings: ConnectionSettings = USUAL) -> Database:
    """Open the database of an existing store. Tables that a later release of the same schema added are created."""
    path = path_of(path_or_url)
    if path is not None and not path.exists():
        raise missing_store(str(path))
    database = connect_database(path_or_url, settings)
    try:
        with database.reading() as connection:
            version = schema_version(connection, database.place)
        if version is None:
            raise missing_store(database.place)
        _complete(database, version, path_or_url)
    except StoreError:
        database.close()
        raise
    return database


def path_of(path_or_url: str | os.PathLike[str]) -> Path | None:
    """The file of a SQLite store; None for another database."""
    text = os.fspath(path_or_url)
    if "://" in text:
        try:
            url = make_url(text)
        except (ArgumentError, ValueError):  # an invalid port raises ValueError
            raise StoreError(f"{shown_place(text)!r} is neither a path nor the URL of a database") from None
        if url.get_backend_name() == "postgresql":
            return None
        if url.get_backend_name() != "sqlite":
            raise StoreError(f"no store in {url.get_backend_name()!r}; use a path, or a URL of sqlite or postgresql")
        text = url.database or ":memory:"
    if text in ("", ":memory:"):
        raise StoreError("a store in memory cannot be shared; give the path of a file")
    path = Path(text)
    if path.is_dir():
        raise StoreError(f"{text!r} is a folder; give the path of a file in it")
    return path


def connect_database(path_or_url: str | os.PathLike[str], settings: ConnectionSettings = USUAL) -> Database:
    """Connect to the database at a place, whatever it contains."""
    path, (wait, clock, is_bulk, is_served) = path_of(path_or_url), settings
    if path is not None:
        reading, writing = (sqlite.connect(path, wait, is_bulk, is_writing, is_served) for is_writing in (False, True))
        return Database(reading, writing, str(path), wait, clock, sqlite.explain)
    url = make_url(os.fspath(path_or_url))
    times = postgresql.timeouts(url, wait)
    engine = postgresql.connect(url, times)
    writers, place = engine.execution_options(writer=True), shown_place(os.fspath(path_or_url))
    return Database(engine, writers, place, times.lock, clock, postgresql.explain)


def schema_version(connection: Connection, place: str) -> int | None:
    """The schema version of the store; None if the database is empty."""
    tables = _table_names(connection)
    if not tables:
        return None
    if schema.store.name not in tables:
        raise StoreError(f"{place!r} is not a Rankcast store: it holds other tables, such as {sorted(tables)[0]!r}")
    with readable("the schema version"):
        return int(connection.execute(select(schema.store.c.schema_version)).scalar_one())


def _table_names(connection: Connection) -> list[str]:
    return inspect(connection).get_table_names()


def check_version(version: int, place: str, path_or_url: str | os.PathLike[str]) -> None:
    """Refuse a store of another schema version, and say what to do."""
    if version > schema.SCHEMA_VERSION:
        raise StoreError(
            f"the store {place!r} has schema version {version}, newer than this Rankcast's {schema.SCHEMA_VERSION}; "
            "upgrade Rankcast"
        )
    if version < schema.OLDEST_VERSION:
        raise StoreError(
            f"the store {place!r} has schema version {version}, older than {schema.OLDEST_VERSION}, from which on stores can be upgraded; "
            "use the Rankcast that made it, or create a new store"
        )
    if version < schema.SCHEMA_VERSION:
        raise OutdatedStore(
            f"the store {place!r} has schema version {version}, older than this Rankcast's {schema.SCHEMA_VERSION}; "
            f"upgrade it with: rankcast upgrade --store {shlex.quote(place)}",
            os.fspath(path_or_url),
        )


def _complete(database: Database, version: int, path_or_url: str | os.PathLike[str]) -> None:
    """Create the tables that a store of this schema lacks. Stores of another schema are refused."""
    check_version(version, database.place, path_or_url)
    with database.reading() as connection:
        lacking = not schema.metadata.tables.keys() <= set(_table_names(connection))
    if lacking:
        with database.writing() as connection:
            schema.metadata.create_all(connection)


def _create_tables(database: Database) -> int | None:
    """Create all tables or none. Returns None on success, or the schema version if another process was faster."""
    with database.starting() as connection:
        version = schema_version(connection, database.place)
        if version is None:
            now = schema.microseconds(database.clock())
            schema.metadata.create_all(connection, checkfirst=False)
            connection.execute(insert(schema.store).values(id=1, schema_version=schema.SCHEMA_VERSION, created_at=now))
            connection.execute(insert(schema.catalog_versions).values(version=0, changed_at=now))
            connection.execute(insert(schema.progress).values(id=1, event_offset=0, catalog_version=0))
        return version


def missing_store(place: str) -> StoreError:
    """The error for a place without a store."""
    return StoreError(f"no store at {place!r}; create one with: rankcast init {shlex.quote(place)}")
