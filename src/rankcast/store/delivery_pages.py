"""Pages of the delivery log: where they begin and what comes after them."""

from sqlalchemy import func, select

from rankcast.store.blocks import Bounds, block_by_block, bounds_of
from rankcast.store.engine import Database
from rankcast.store.schema import deliveries as log

__all__ = ["Bounds", "bounds", "count_after", "start_of_newest"]


def bounds(database: Database) -> Bounds:
    """The first and last numbers of the delivery log."""
    with database.reading() as connection:
        return bounds_of(connection)


def start_of_newest(database: Database, user: str | None, before: int | None, limit: int) -> int | None:
    """The number of the first of the last `limit` deliveries before a number (or of all); None if there are none.

    `user` restricts this to one user. Cost: O(limit), plus one look-up per block for a user.
    """
    query = select(log.c.number).order_by(log.c.number.desc())
    if before is not None:
        query = query.where(log.c.number < before)
    first = None
    with database.reading() as connection:
        for part in reversed(block_by_block(connection, query, user, 0, before)):
            numbers = [row[0] for row in connection.execute(part.limit(limit))]
            if numbers:
                first = numbers[-1]
            limit -= len(numbers)
            if limit <= 0:
                break
    return first


def count_after(database: Database, user: str | None, after: int, most: int) -> int:
    """The number of deliveries after a number, counted up to `most`."""
    query = select(log.c.number).where(log.c.number > after)
    count = 0
    with database.reading() as connection:
        for part in block_by_block(connection, query, user, after):
            counted = select(func.count()).select_from(part.limit(most - count).subquery())
            count += connection.execute(counted).scalar_one()
            if count >= most:
                break
    return count
