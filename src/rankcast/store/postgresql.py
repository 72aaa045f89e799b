"""Everything specific to PostgreSQL: connections, time limits and explanations of errors."""

from typing import NamedTuple

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from rankcast.errors import StoreError
from rankcast.extras import require
from rankcast.store.places import shown_place, without_passwords

_CAUSES = {
    "55P03": "the store {place!r} is locked: another process has been writing for over {wait:g} s; "
    "try again, or end that process",
    "57014": "the server of the store {place!r} has cancelled a statement ({error}); try again, or allow more time with "
    "?statement_timeout=SECONDS at the end of its URL",
    "42501": "the user of the store {place!r} lacks a privilege ({error})",
    "53100": "no space is left for the store {place!r}; nothing of the last change was kept",
    "53300": "the server of the store {place!r} has no connection left ({error}); raise its max_connections",
    "57P01": "the server of the store {place!r} was shut down; nothing of the last change was kept",
    "57P02": "the server of the store {place!r} crashed; nothing of the last change was kept",
    "57P03": "the server of the store {place!r} is starting up or shutting down; try again in a moment",
    "25006": "the server of the store {place!r} may only be read: it is a replica, or the transaction was read-only",
}
_UNREACHABLE = "no connection to the store {place!r} ({error}); check that the server runs, and the URL"
_OVERLOADED = "all connections to the store {place!r} have been in use for over {wait:g} s; try again"
_DRIVER = "postgresql+psycopg"
_LONGEST = 86_400.0
_GRACE = 2.0
"""Seconds by which the client's limit exceeds the server's. The server's own timeout gives a better message."""


class Timeouts(NamedTuple):
    """Time limits in seconds. The URL of the store can set each of them: `?statement_timeout=20&lock_timeout=5`.

    `connect` limits the wait for the server to answer, `statement` the duration of one statement, and `lock` the wait
    for another writer. 0 means no limit.
    """

    connect: float = 10.0
    statement: float = 60.0
    lock: float = 30.0


def timeouts(url: URL, lock: float) -> Timeouts:
    """The limits in the URL, with defaults for the rest. `lock` is the default wait for another writer."""
    defaults = Timeouts(lock=lock)
    return Timeouts(*(_seconds(url, name, default) for name, default in zip(Timeouts._fields, defaults, strict=True)))


def _seconds(url: URL, name: str, default: float) -> float:
    given = url.query.get(f"{name}_timeout")
    if given is None:
        return default
    try:
        seconds = float(str(given))
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= _LONGEST:
        raise StoreError(
            f"{name}_timeout in the URL of the store is {str(given)!r}; it must be seconds from 0 to {_LONGEST:,.0f}"
        )
    return seconds


def connect(url: URL, times: Timeouts) -> Engine:
    """Connections to a database that respect the given time limits.

    A connection that the server has dropped is replaced before it is used again. So a restart of the server
    interrupts only the current transaction.
    """
    if url.drivername == "postgresql":
        url = url.set(drivername=_DRIVER)
    place = shown_place(url.render_as_string(hide_password=False))
    url = url.difference_update_query([f"{name}_timeout" for name in Timeouts._fields])
    arguments: dict[str, object] = {"connect_timeout": max(2, round(times.connect)) if times.connect else 0}
    if "application_name" not in url.query:
        arguments["application_name"] = "rankcast"
    if url.drivername == _DRIVER:
        require("postgres")
    try:
        engine = create_engine(
            url, pool_pre_ping=True, pool_timeout=times.lock or _LONGEST, paramstyle="format", connect_args=arguments
        )
        from rankcast.store.postgresql_connection import LimitedConnection, Opener
    except SQLAlchemyError as error:
        raise StoreError(f"{place!r} is no URL of a database: {without_passwords(str(error))}") from None

    opener = Opener(times.statement + _GRACE if times.statement else None)

    @event.listens_for(engine, "do_connect")
    def open_limited(
        dialect: object, record: object, cargs: list[str], cparams: dict[str, object]
    ) -> LimitedConnection:
        return opener.open(cargs, cparams)

    @event.listens_for(engine, "connect")
    def prepare(connection: LimitedConnection, record: object) -> None:
        # Acknowledged data is on disk, whatever the configuration of the server says.
        connection.execute("SET synchronous_commit = on")
        connection.execute(f"SET statement_timeout = {round(times.statement * 1000)}")
        connection.commit()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if connection.get_execution_options().get("writer", False):
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {round(times.lock * 1000)}")
            # One writer at a time, even before there is a table with a row to lock.
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtext('rankcast ' || current_schema()))")
        elif not connection.get_execution_options().get("lasting", False):
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")

    return engine


def explain(error: BaseException, place: str, wait: float) -> StoreError | None:
    """What an error of PostgreSQL means and what to do about it; None if there is nothing to add."""
    from psycopg import OperationalError

    state = getattr(error, "sqlstate", None)
    cause = _CAUSES.get(state or "")
    if isinstance(error, NoConnectionFree):
        cause = _OVERLOADED
    if cause is None and state is None and isinstance(error, OperationalError):
        cause = _UNREACHABLE
    return None if cause is None else StoreError(cause.format(place=place, error=_first_line(error), wait=wait))


def _first_line(error: BaseException) -> str:
    line = str(error).removeprefix("connection failed: ").removeprefix("connection is bad: ").strip().split("\n")[0]
    return without_passwords(line)
