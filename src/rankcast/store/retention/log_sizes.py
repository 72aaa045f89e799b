"""The size of a log in bytes. Sums of blocks are cached, so that repeated queries are cheap."""

from weakref import WeakKeyDictionary

from sqlalchemy import Column, ColumnElement, Connection, LargeBinary, cast, func, select

from rankcast.store.engine import Database

ROW_BYTES = 100
"""Bytes counted for each row in addition to its texts, for its numbers and index entries."""

_BLOCK = 4_096


class LogSize:
    """The size of a log's texts in bytes, by ranges of numbers.

    A block before the newest one no longer grows, so its sum is cached while the database is open. Rows pruned from a
    cached block still count, but only in the one block where pruning stopped. The first query scans all retained
    rows; later queries scan the newest block.
    """

    def __init__(self, number: Column[int], texts: tuple[Column[str], ...]) -> None:
        self._number = number
        self._texts = texts
        self._known: WeakKeyDictionary[Database, dict[int, int]] = WeakKeyDictionary()

    def last_beyond(self, connection: Connection, database: Database, last: int, most: int) -> int:
        """The last number that must go so that the newest rows take at most `most` bytes; 0 if all of them fit."""
        first = connection.execute(select(func.min(self._number))).scalar()
        if first is None:
            return 0
        known = self._known.setdefault(database, {})
        for gone in [block for block in known if block < first // _BLOCK]:
            del known[gone]
        left = most
        for block in range(last // _BLOCK, first // _BLOCK - 1, -1):
            size = known.get(block)
            if size is None:
                size = self._sum(connection, block)
                if block < last // _BLOCK:
                    known[block] = size
            if size > left:
                return self._within(connection, block, left)
            left -= size
        return 0

    def _sum(self, connection: Connection, block: int) -> int:
        query = select(func.sum(self._bytes(connection))).where(self._is_in(block))
        return int(connection.execute(query).scalar() or 0)

    def _within(self, connection: Connection, block: int, left: int) -> int:
        """The last number of a block that must go so that the rows after it fit into the bytes that are left."""
        query = select(self._number, self._bytes(connection)).where(self._is_in(block)).order_by(self._number.desc())
        for number, size in connection.execute(query):
            left -= size
            if left < 0:
                return int(number)
        return block * _BLOCK - 1

    def _is_in(self, block: int) -> ColumnElement[bool]:
        return self._number.between(block * _BLOCK, (block + 1) * _BLOCK - 1)

    def _bytes(self, connection: Connection) -> ColumnElement[int]:
        sizes = [func.coalesce(_octets(connection, text), 0) for text in self._texts]
        return sum(sizes[1:], sizes[0] + ROW_BYTES)


def _octets(connection: Connection, text: Column[str]) -> ColumnElement[int]:
    """The size of a value in bytes. SQLite would count the characters of a text unless it is cast to bytes."""
    if connection.dialect.name == "sqlite":
        return func.length(cast(text, LargeBinary))
    return func.octet_length(text)
