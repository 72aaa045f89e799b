"""SQL helpers that all logs share, the same for SQLite and PostgreSQL."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache, lru_cache
from inspect import signature
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import sqlalchemy as sql
from sqlalchemy.exc import DBAPIError, IntegrityError

from rankcast.plain import JsonObject
from rankcast.store.engine import Database
from rankcast.store.schema import DatabaseRow, datetime_of, log_marks, microseconds

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite

Columns: TypeAlias = Mapping[str, Sequence[object]]
"""Rows to be written, as columns in the order of the table."""

_Item = TypeVar("_Item")
_Record = TypeVar("_Record")
_Rows = Sequence[JsonObject]


class Log:
    """What is done with some tables of a store. Each method is one short transaction, unless it says otherwise."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _now(self) -> int:
        """The present time, as a column has it."""
        return microseconds(self._database.clock())

    def _first(self, query: sql.Select[Any], make: Callable[[DatabaseRow], _Record]) -> _Record | None:
        """What is made of the first row of a query; None if there is none."""
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else make(row)

    def _all(self, query: sql.Select[Any]) -> Sequence[Any]:
        """All rows of a query, in its order."""
        with self._database.reading() as connection:
            return connection.execute(query).all()

    def _value(self, query: sql.Select[Any]) -> Any:
        """The first column of the first row of a query; None if there is none."""
        with self._database.reading() as connection:
            return connection.execute(query).scalar()

    def _change(self, statement: sql.Update | sql.Delete) -> int:
        """Change or delete rows. Returns how many."""
        with self._database.writing() as connection:
            return connection.execute(statement).rowcount


@cache
def _fields(of: Callable[..., object]) -> tuple[str, ...]:
    return tuple(signature(of).parameters)


def record_of(of: Callable[..., _Record], row: DatabaseRow, **more: object) -> _Record:
    """A record of a row. `more` has the fields that do not follow from its columns.

    The field `due` is the column `due`, or `due_id`, or the time in `due_at`.
    """
    found = row._mapping
    for name in _fields(of):
        if name not in more:
            if name in found:
                more[name] = found[name]
            elif f"{name}_id" in found:
                more[name] = found[f"{name}_id"]
            elif f"{name}_at" in found:
                moment = found[f"{name}_at"]
                more[name] = None if moment is None else datetime_of(moment)
    return of(**more)


def columns_of(table: sql.Table, record: object, **more: object) -> JsonObject:
    """The columns of a record: the inverse of `record_of`. `more` has those that do not follow from its fields."""
    columns: JsonObject = {}
    for name in (column.name for column in table.c if column.name not in more):
        field = name.removesuffix("_id").removesuffix("_at")
        if hasattr(record, name):
            columns[name] = getattr(record, name)
        elif hasattr(record, field):
            value = getattr(record, field)
            columns[name] = microseconds(value) if isinstance(value, datetime) else value
    return columns | more


LAST_START = "start of the last batch"
"""Name of the mark for where the last micro-batch of a pipeline on Spark began. Spark may repeat that batch."""

_PAGE = 1000
_MANY = 1000
_TOGETHER = 64
"""Rows that one statement inserts into SQLite, if there are few."""
_COPIED = 100_000
"""Rows of one COPY, which must end within the time limit of a statement."""


def append_new(connection: sql.Connection, number: sql.Column[int], columns: Columns) -> int:
    """Append the rows that violate no unique key to a log, numbered without gaps. Returns their number.

    Cost: about 6 µs per row if many and all are new, as they nearly always are. If one is not, all rows are tried one by one,
    at about 30 µs each.
    """
    names, values = list(columns), list(columns.values())
    count = len(values[0]) if values else 0
    if not count:
        return 0
    before = last_number(connection, number)
    try:
        with connection.begin_nested():
            rows = list(zip(range(before + 1, before + count + 1), *values, strict=True))
            insert_rows(connection, number.table, [number.name, *names], rows)
        return count
    except IntegrityError:
        highest = sql.func.coalesce(sql.func.max(number), 0)
        following = sql.select(sql.case((highest > before, highest), else_=before) + 1).scalar_subquery()
        named = [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]
        connection.execute(
            _insert(connection, number.table).values({number: following}).on_conflict_do_nothing(), named
        )
        return last_number(connection, number) - before


def insert_rows(
    connection: sql.Connection, table: sql.Table, names: Sequence[str], rows: list[tuple[object, ...]]
) -> None:
    """Insert new rows. `names` are columns in the order of the table.

    The values go to the driver directly, because SQLAlchemy takes longer to process them than the database.
    """
    dialect = connection.dialect
    if dialect.name != "sqlite" or len(rows) >= _MANY:
        connection.exec_driver_sql(_insert_text(dialect, table, tuple(names), 1), rows)
        return
    # One statement per row would give the interpreter to other threads after each, while all writers wait. But SQLite
    # binds the values of many rows in one statement more slowly: 12 µs per delivery instead of 6.
    for chunk in chunks(iter(rows), _TOGETHER):
        statement = _insert_text(dialect, table, tuple(names), len(chunk))
        connection.exec_driver_sql(statement, tuple(chain.from_iterable(chunk)))


@lru_cache(maxsize=1000)
def _insert_text(dialect: sql.Dialect, table: sql.Table, names: tuple[str, ...], count: int) -> str:
    """The statement that inserts some rows."""
    compiled = sql.insert(table).values({name: sql.bindparam(name) for name in names}).compile(dialect=dialect)
    assert compiled.positiontup == list(names), f"columns of {table.name!r} out of order"
    head, _, row = compiled.string.rpartition("VALUES ")
    return f"{head}VALUES {', '.join([row] * count)}"


def copy_rows(
    connection: sql.Connection, table: sql.Table, names: Sequence[str], rows: list[tuple[object, ...]]
) -> None:
    """Insert new rows like `insert_rows`. Many go to PostgreSQL by COPY, at 3 µs instead of 20 to 30 µs each."""
    if connection.dialect.name == "sqlite" or len(rows) < _MANY:
        if rows:
            insert_rows(connection, table, names, rows)
        return
    driver: Any = connection.connection.driver_connection
    statement = f"COPY {table.name} ({', '.join(names)}) FROM STDIN"
    try:
        for chunk in chunks(iter(rows), _COPIED):
            with driver.cursor() as cursor, cursor.copy(statement) as copy:
                for row in chunk:
                    copy.write_row(row)
    except connection.dialect.loaded_dbapi.Error as error:
        raise DBAPIError(statement, None, error) from error


def put_rows(connection: sql.Connection, table: sql.Table, rows: _Rows, replace: Sequence[str]) -> None:
    """Insert the rows in order. If a primary key already exists, only the named columns are replaced."""
    if not rows:
        return
    statement = _insert(connection, table)
    new = {name: statement.excluded[name] for name in replace}
    connection.execute(statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=new), rows)


def last_number(connection: sql.Connection, number: sql.Column[int]) -> int:
    """The highest number that a log has assigned, even if that row was deleted; 0 if there is none."""
    return connection.scalars(_last_query(number)).one()


@cache
def _last_query(number: sql.Column[int]) -> sql.Select[int]:
    return sql.select(last_number_of(number))


def last_number_of(number: sql.Column[int]) -> sql.ScalarSelect[int]:
    """The highest number that a log has assigned, as part of a query."""
    given = sql.select(sql.func.max(number).label("number")).union_all(
        sql.select(log_marks.c.number).where(log_marks.c.name == number.table.name)
    )
    both = given.subquery()
    return sql.select(sql.func.coalesce(sql.func.max(both.c.number), 0)).scalar_subquery()


def mark_last(connection: sql.Connection, number: sql.Column[int]) -> None:
    """Store the highest number that a log has assigned. Call this before its last rows may be deleted."""
    put_mark(connection, number.table.name, last_number(connection, number))


def put_mark(connection: sql.Connection, name: str, number: int) -> None:
    """Store a number under a name."""
    put_rows(connection, log_marks, [{"name": name, "number": number}], replace=["number"])


def mark_of(connection: sql.Connection, name: str) -> int | None:
    """The number stored under a name; None if there is none."""
    return connection.execute(sql.select(log_marks.c.number).where(log_marks.c.name == name)).scalar()


def paged(
    database: Database, query: sql.Select[Any], number: sql.Column[int], after: int, limit: int | None = None
) -> Iterator[sql.Row[Any]]:
    """The rows of a log after a number, in order. The query must select `number` first.

    Rows are read page by page, so that no transaction stays open between pages.
    """
    while limit is None or limit > 0:
        size = _PAGE if limit is None else min(_PAGE, limit)
        with database.reading() as connection:
            rows = connection.execute(query.where(number > after).order_by(number).limit(size)).all()
        yield from rows
        if len(rows) < size:
            return
        after = rows[-1][0]
        limit = None if limit is None else limit - size


def chunks(items: Iterator[_Item], size: int) -> Iterator[list[_Item]]:
    """Split items into lists of a given size. The last list may be shorter.

    >>> list(chunks(iter("abcde"), 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    while chunk := list(islice(items, size)):
        yield chunk


def _insert(connection: sql.Connection, table: sql.Table) -> "sqlite.Insert | postgresql.Insert":
    if connection.dialect.name == "sqlite":
        from sqlalchemy.dialects import sqlite

        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(table)
