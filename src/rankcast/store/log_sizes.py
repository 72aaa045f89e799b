"""How many bytes a log holds: summed in blocks, which are remembered, so that asking again costs little."""

from weakref import WeakKeyDictionary

from sqlalchemy import Column, ColumnElement, Connection, LargeBinary, cast, func, select

from rankcast.store.engine import Database

__all__ = ["ROW_BYTES", "LogSize"]

ROW_BYTES = 100
"""What a row counts beside its texts: its numbers, and its entries in indexes."""

_BLOCK = 4_096


class LogSize:
    """The bytes of a log's texts, by ranges of its numbers.

    A block of numbers that lies behind the newest does not grow any more, so its sum is remembered for as long as the database is
    open; what was pruned of it since counts until then, and only in the one block where pruning has stopped. The first time costs a
    scan of what is kept, later ones a scan of the newest block.
    """

    def __init__(self, number: Column[int], texts: tuple[Column[str], ...]) -> None:
        self._number = number
        self._texts = texts
        self._known: WeakKeyDictionary[Database, dict[int, int]] = WeakKeyDictionary()

    def last_beyond(self, connection: Connection, database: Database, last: int, most: int) -> int:
        """The last number before the newest rows that have at most so many bytes together; 0 if all have no more."""
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
        """Up to where in a block the rows must go, so that those after it have no more than is left."""
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
    """The bytes of a text or of bytes; SQLite counts the characters of a text unless it is taken for bytes."""
    if connection.dialect.name == "sqlite":
        return func.length(cast(text, LargeBinary))
    return func.octet_length(text)
