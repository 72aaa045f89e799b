"""Where a page of deliveries begins, and where the log of them does."""

from typing import NamedTuple

from sqlalchemy import Connection, Select, func, select

from rankcast.store.blocks import blocks_between, in_block
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
    None if there is none. O(limit), and for a user a look-up in each block that it takes."""
    query = select(log.c.number).order_by(log.c.number.desc())
    if before is not None:
        query = query.where(log.c.number < before)
    first = None
    with database.reading() as connection:
        for part in _parts(connection, query, user, 0, before, newest_first=True):
            numbers = [row[0] for row in connection.execute(part.limit(limit))]
            if numbers:
                first = numbers[-1]
            limit -= len(numbers)
            if limit <= 0:
                break
    return first


def count_after(database: Database, user: str | None, after: int, most: int) -> int:
    """How many deliveries come after a number, counted up to `most`."""
    query = select(log.c.number).where(log.c.number > after)
    count = 0
    with database.reading() as connection:
        for part in _parts(connection, query, user, after):
            counted = select(func.count()).select_from(part.limit(most - count).subquery())
            count += connection.execute(counted).scalar_one()
            if count >= most:
                break
    return count


def _parts(
    connection: Connection,
    query: Select[int],
    user: str | None,
    after: int,
    before: int | None = None,
    newest_first: bool = False,
) -> list[Select[int]]:
    """The query itself for all users, or for a user one for each block."""
    if user is None:
        return [query]
    blocks = blocks_between(connection, after, before)
    return [query.where(in_block(user, block)) for block in (reversed(blocks) if newest_first else blocks)]
