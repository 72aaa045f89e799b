"""Reading a user's deliveries, which are indexed in blocks (`rankcast.store.schema.block_of`), and their pages."""

from typing import NamedTuple, TypeVar

from sqlalchemy import ColumnElement, Connection, Select, func, select

from rankcast.store.engine import Database
from rankcast.store.schema import DELIVERY_BLOCK, block_of, delivery_block
from rankcast.store.schema import deliveries as log
from rankcast.store.sql import last_number

_Query = TypeVar("_Query", bound=Select[*tuple[object, ...]])


class Bounds(NamedTuple):
    """The numbers of the first delivery still kept and of the last one ever written.

    If none is kept, `first` is the next number to be assigned. Both are 0 if there never was a delivery.
    """

    first: int
    last: int


def bounds_of(connection: Connection) -> Bounds:
    """The first and last numbers of the delivery log."""
    # Two queries, because SQLite would scan the table for both at once.
    first = connection.execute(select(func.min(log.c.number))).scalar()
    last = last_number(connection, log.c.number)
    return Bounds(first or (last + 1 if last else 0), last)


def blocks_between(connection: Connection, after: int, before: int | None = None) -> range:
    """The blocks that hold deliveries after one number and before another (or up to the last)."""
    first, last = bounds_of(connection)
    low, high = max(first, after + 1), last if before is None else min(last, before - 1)
    return range(low >> DELIVERY_BLOCK, (high >> DELIVERY_BLOCK) + 1) if low <= high else range(0)


def block_by_block(
    connection: Connection, query: _Query, user: str | None, after: int, before: int | None = None
) -> list[_Query]:
    """Split a query for one user's deliveries into one query per block, in order.

    The blocks are those between the two numbers. For all users (None), the result is the query itself.
    """
    if user is None:
        return [query]
    blocks = blocks_between(connection, after, before)
    return [query.where(delivery_block == block, log.c.user_id == user) for block in blocks]


_first = block_of(func.coalesce(func.min(log.c.number), 0))
_last = block_of(func.coalesce(func.max(log.c.number), 0))
_start = select(select(_first).scalar_subquery().label("block")).cte("blocks", recursive=True)
all_blocks = _start.union_all(select(_start.c.block + 1).where(_start.c.block < select(_last).scalar_subquery()))
"""All blocks, as a table for use in queries."""


def blocks_after(number: ColumnElement[int]) -> ColumnElement[bool]:
    """A condition on `all_blocks`: the block can hold deliveries after a number."""
    return all_blocks.c.block >= block_of(number)


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
