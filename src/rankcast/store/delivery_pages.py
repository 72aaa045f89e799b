"""Where a page of deliveries begins, and where the log of them does."""

from typing import NamedTuple

from sqlalchemy import func, select

from rankcast.store.engine import Database
from rankcast.store.schema import deliveries as log

__all__ = ["Bounds", "bounds", "count_after", "start_of_newest"]


class Bounds(NamedTuple):
    """The numbers of the first and of the last delivery that are kept; 0 and 0 if there is none."""

    first: int
    last: int


def bounds(database: Database) -> Bounds:
    """Where the log of deliveries begins and ends."""
    with database.reading() as connection:
        first = connection.execute(select(func.min(log.c.number))).scalar()
        last = connection.execute(select(func.max(log.c.number))).scalar()
    return Bounds(first or 0, last or 0)


def start_of_newest(database: Database, user: str | None, before: int | None, limit: int) -> int | None:
    """The number of the first among the last `limit` deliveries before a number (or of all), of a user or of all;
    None if there is none. O(limit)."""
    query = select(log.c.number).order_by(log.c.number.desc()).limit(limit)
    if user is not None:
        query = query.where(log.c.user_id == user)
    if before is not None:
        query = query.where(log.c.number < before)
    with database.reading() as connection:
        return connection.execute(select(func.min(query.subquery().c.number))).scalar()


def count_after(database: Database, user: str | None, after: int, most: int) -> int:
    """How many deliveries come after a number, counted up to `most`."""
    query = select(log.c.number).where(log.c.number > after).limit(most)
    if user is not None:
        query = query.where(log.c.user_id == user)
    with database.reading() as connection:
        return int(connection.execute(select(func.count()).select_from(query.subquery())).scalar_one())
