"""What is particular to PostgreSQL: how to connect, and to explain its errors."""

from sqlalchemy import URL, Connection, Engine, create_engine, event

from rankcast.errors import StoreError

__all__ = ["connect", "explain"]

_CAUSES = {
    "55P03": "the store {place!r} is locked: another process has been writing for over {wait:g} s; "
    "try again, or end that process",
    "42501": "the user of the store {place!r} lacks a privilege ({error})",
    "53100": "no space is left for the store {place!r}; nothing of the last change was kept",
}


def connect(url: URL, wait: float) -> Engine:
    """Connections to a database, which wait that many seconds for another writer."""
    try:
        engine = create_engine(url, pool_pre_ping=True)
    except ModuleNotFoundError as error:
        raise StoreError(
            f"PostgreSQL needs the package {error.name!r}; install it with: pip install {error.name}"
        ) from None

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if connection.get_execution_options().get("writer", False):
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {int(wait * 1000)}")
        else:
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")

    return engine


def explain(error: BaseException, place: str, wait: float) -> StoreError | None:
    """What an error of PostgreSQL means and what to do about it; None if there is nothing more to say."""
    cause = _CAUSES.get(getattr(error, "sqlstate", None) or "")
    return None if cause is None else StoreError(cause.format(place=place, error=error, wait=wait))
