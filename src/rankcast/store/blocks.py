"""The deliveries of a user, which are indexed in blocks (`rankcast.store.schema.delivery_block`)."""

from sqlalchemy import ColumnElement, Connection, and_, func, literal_column, select

from rankcast.store.schema import DELIVERY_BLOCK, delivery_block
from rankcast.store.schema import deliveries as log

__all__ = ["all_blocks", "blocks_after", "blocks_between", "in_block"]


def blocks_between(connection: Connection, after: int, before: int | None = None) -> range:
    """The blocks that have deliveries after a number and before another (or to the last)."""
    # Each by itself: both at once would be a scan in SQLite.
    first = connection.execute(select(func.min(log.c.number))).scalar() or 0
    last = connection.execute(select(func.max(log.c.number))).scalar() or 0
    low, high = max(first, after + 1), last if before is None else min(last, before - 1)
    return range(low >> DELIVERY_BLOCK, (high >> DELIVERY_BLOCK) + 1) if low <= high else range(0)


def in_block(user: str, block: int) -> ColumnElement[bool]:
    """The deliveries of a user in a block."""
    return and_(delivery_block == block, log.c.user_id == user)


_first = select(func.coalesce(func.min(log.c.number), 0).op(">>")(literal_column(str(DELIVERY_BLOCK))))
_last = select(func.coalesce(func.max(log.c.number), 0).op(">>")(literal_column(str(DELIVERY_BLOCK))))
_start = select(_first.scalar_subquery().label("block")).cte("blocks", recursive=True)
all_blocks = _start.union_all(select(_start.c.block + 1).where(_start.c.block < _last.scalar_subquery()))
"""All blocks, as a table of a query."""


def blocks_after(number: ColumnElement[int]) -> ColumnElement[bool]:
    """Those of `all_blocks` that can have deliveries after a number."""
    return all_blocks.c.block >= number.op(">>")(literal_column(str(DELIVERY_BLOCK)))
