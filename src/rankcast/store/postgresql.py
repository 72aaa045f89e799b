"""What is particular to PostgreSQL: how to connect, and to explain its errors."""

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import SQLAlchemyError

from rankcast.errors import StoreError

__all__ = ["connect", "explain"]

_CAUSES = {
    "55P03": "the store {place!r} is locked: another process has been writing for over {wait:g} s; "
    "try again, or end that process",
    "42501": "the user of the store {place!r} lacks a privilege ({error})",
    "53100": "no space is left for the store {place!r}; nothing of the last change was kept",
    "53300": "the server of the store {place!r} has no connection left ({error}); raise its max_connections",
    "57P01": "the server of the store {place!r} was shut down; nothing of the last change was kept",
    "57P02": "the server of the store {place!r} crashed; nothing of the last change was kept",
    "57P03": "the server of the store {place!r} is starting up or shutting down; try again in a moment",
    "25006": "the server of the store {place!r} may only be read: it is a replica, or the transaction was read-only",
}
_UNREACHABLE = "no connection to the store {place!r} ({error}); check that the server runs, and the URL"
_DRIVER = "postgresql+psycopg"
_ARGUMENTS = {"application_name": "rankcast", "connect_timeout": 10}
"""Unless the URL says otherwise. The time is in seconds, for a server that does not answer."""


def connect(url: URL, wait: float) -> Engine:
    """Connections to a database, which wait that many seconds for another writer.

    A connection that the server has dropped meanwhile is replaced before it is used, so that a restart of the
    server costs the transaction at hand and no more.
    """
    if url.drivername == "postgresql":
        url = url.set(drivername=_DRIVER)
    arguments = {key: value for key, value in _ARGUMENTS.items() if key not in url.query}
    try:
        engine = create_engine(url, pool_pre_ping=True, paramstyle="format", connect_args=arguments)
    except ModuleNotFoundError as error:
        raise StoreError(
            f"PostgreSQL needs the package {error.name!r}; install it with: pip install {error.name}"
        ) from None
    except SQLAlchemyError as error:
        raise StoreError(f"{url.render_as_string(hide_password=True)!r} is no URL of a database: {error}") from None

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if connection.get_execution_options().get("writer", False):
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {int(wait * 1000)}")
            # One writer at a time, also while there is no table yet whose row could be locked.
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtext('rankcast ' || current_schema()))")
        else:
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")

    return engine


def explain(error: BaseException, place: str, wait: float) -> StoreError | None:
    """What an error of PostgreSQL means and what to do about it; None if there is nothing more to say."""
    from psycopg import OperationalError

    state = getattr(error, "sqlstate", None)
    cause = _CAUSES.get(state or "")
    if cause is None and state is None and isinstance(error, OperationalError):
        cause = _UNREACHABLE
    return None if cause is None else StoreError(cause.format(place=place, error=_first_line(error), wait=wait))


def _first_line(error: BaseException) -> str:
    return str(error).removeprefix("connection failed: ").removeprefix("connection is bad: ").strip().split("\n")[0]
