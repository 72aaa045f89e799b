"""Upgrade a store of an earlier schema version, after making a copy of it."""

import os
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, make_url

from rankcast.errors import OutdatedStore, StoreError
from rankcast.store.audit_log import AuditAction, note
from rankcast.store.engine import Clock, system_clock
from rankcast.store.opening import check_version, connect_database, missing_store, path_of, schema_version
from rankcast.store.schema import SCHEMA_VERSION, microseconds


@dataclass(frozen=True, slots=True)
class Upgraded:
    """The result of an upgrade: the old and new schema versions, and the path of the copy, if one was made."""

    place: str
    before: int
    version: int
    backup: Path | None = None


def upgrade_store(
    path_or_url: str | os.PathLike[str], is_backed_up: bool = False, *, clock: Clock = system_clock
) -> Upgraded:
    """Migrate a store to the schema of this release in one transaction.

    If the process is killed, the store is either the old one or the new one. A file is copied first, beside itself,
    unless it `is_backed_up` already. Any other database must be backed up by the caller. A store of this schema
    version is left unchanged. A store that a service is serving is refused.
    """
    before = store_version(path_or_url)
    path = path_of(path_or_url)
    database = connect_database(path_or_url)
    with closing(database):
        if before == SCHEMA_VERSION:
            return Upgraded(database.place, before, before)
        if path is None and not is_backed_up:
            raise StoreError(
                f"make a backup of {database.place!r} first, with: {_dump_command(path_or_url)}; "
                "then run: rankcast upgrade --no-backup --store URL"
            )
        from rankcast.store.migrations import migrate  # imported only here, because Alembic loads slowly

        with unserved(path):
            backup = None
            if path is not None and not is_backed_up:
                when = clock().strftime("%Y%m%dT%H%M%SZ")
                backup = path.with_name(f"{path.name}.schema{before}-{when}.backup")
                copy_file(path, backup)
            with database.starting() as connection:
                found = schema_version(connection, database.place)
                if found == before:
                    migrate(connection, before)
                    detail = f"from schema version {before} to {SCHEMA_VERSION}"
                    note(connection, microseconds(clock()), AuditAction.UPGRADE, None, detail)
        return Upgraded(database.place, before, SCHEMA_VERSION, backup)


def store_version(path_or_url: str | os.PathLike[str]) -> int:
    """The schema version of a store. Raises an error if this release can neither use nor upgrade it."""
    path = path_of(path_or_url)
    if path is not None and not path.exists():
        raise missing_store(str(path))
    database = connect_database(path_or_url)
    with closing(database):
        with database.reading() as connection:
            version = schema_version(connection, database.place)
        if version is None:
            raise missing_store(database.place)
        with suppress(OutdatedStore):
            check_version(version, database.place, path_or_url)
        return version


def copy_file(source: Path, target: Path) -> None:
    """Copy the file of a store as of one moment, while it is in use. The copy appears only when it is complete."""
    part = target.with_name(f"{target.name}.part")
    try:
        # Readable by its owner alone: it holds what the store holds.
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        reading = sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True)
        writing = sqlite3.connect(part)
        try:
            reading.backup(writing)
            writing.execute("PRAGMA journal_mode = DELETE")
        finally:
            reading.close()
            writing.close()
        with part.open("rb") as written:
            os.fsync(written.fileno())
        os.replace(part, target)
    except (OSError, sqlite3.Error) as error:
        part.unlink(missing_ok=True)
        raise StoreError(f"cannot copy the store {str(source)!r} to {str(target)!r}: {error}") from None


def _dump_command(url: str | os.PathLike[str]) -> str:
    """The command that backs up a database on a server, without the password, which the program asks for."""
    return f"pg_dump --format=custom --file=rankcast.dump {shlex.quote(program_url(os.fspath(url)))}"


def program_url(url: str) -> str:
    """The URL of a database in the form that PostgreSQL's programs accept, without the password.

    >>> program_url("postgresql+psycopg://ann:secret@db/movies?lock_timeout=3")
    'postgresql://ann@db/movies'
    """
    given = make_url(url)
    query = {key: value for key, value in given.query.items() if not key.endswith("_timeout")}
    plain = URL.create("postgresql", given.username, None, given.host, given.port, given.database, query)
    return plain.render_as_string()


@contextmanager
def unserved(path: Path | None) -> Iterator[None]:
    """Keep services from opening the file meanwhile. Refused if one is serving it (`rankcast.store.store_lock`)."""
    lock = None if path is None else Path(f"{path}-serving")
    if lock is None or not lock.exists():
        yield
        return
    try:
        import fcntl
    except ImportError:  # this system has no such locks
        yield
        return
    with lock.open("r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StoreError(f"the store {str(path)!r} is being served; end the service first") from None
        yield
