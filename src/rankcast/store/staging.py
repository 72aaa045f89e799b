"""Deliveries that many processes copy into PostgreSQL, from where one statement moves them into the log.

The table is not logged: if the database crashes, it is empty, and the micro-batch is served again. Another micro-batch
or a repeated task may leave rows there, which the next statement removes.
"""

from collections.abc import Mapping
from typing import NamedTuple
from uuid import uuid4

from sqlalchemy import Column, Connection, MetaData, Table, Text, func, select, text

from rankcast.errors import EnvironmentProblem
from rankcast.store.schema import deliveries as log
from rankcast.store.sql import Columns, Log, copy_rows, last_number

_SET_LATER = ("number", "served", "matched", "received")
_NAMES = [column.name for column in log.c if column.name not in _SET_LATER]
_staged = Table(
    "staged_deliveries",
    MetaData(),
    Column("part", Text, nullable=False),
    *(Column(name, log.c[name].type, nullable=False) for name in _NAMES),
    prefixes=["UNLOGGED"],
)


class StagedDeliveries(NamedTuple):
    """Deliveries that were copied before: the number of rows by part, and times for all of them."""

    parts: Mapping[str, int]
    served: int
    matched: int


class StagingLog(Log):
    """The deliveries that wait in the table, for `DeliveryLog.commit_batch`."""

    def prepare_staging(self) -> None:
        """Let many processes stage deliveries: create the table, unless the store is a file or has it."""
        if not self._database.is_file:
            with self._database.writing() as connection:
                _staged.create(connection, checkfirst=True)

    def stage(self, deliveries: Columns) -> str:
        """Copy deliveries beside other processes that do. Returns the name of the part."""
        name = uuid4().hex
        rows = list(zip([name] * len(deliveries["user_id"]), *(deliveries[one] for one in _NAMES), strict=True))
        with self._database.starting() as connection:
            copy_rows(connection, _staged, ["part", *_NAMES], rows)
        return name


def publish_staged(connection: Connection, found: StagedDeliveries, received: int) -> int:
    """Move the rows of these parts to the log, and remove all others. Returns the number of new deliveries."""
    wanted = sum(found.parts.values())
    if not wanted:
        return 0
    parts = list(found.parts)
    there = connection.execute(select(func.count()).where(_staged.c.part.in_(parts))).scalar_one()
    if there != wanted:
        raise EnvironmentProblem(
            f"{there:,} of {wanted:,} copied deliveries are in the database, which was restarted, or lost them; nothing "
            "of the micro-batch was written: start again"
        )
    names = ", ".join(_NAMES)
    return connection.execute(
        text(
            f"WITH taken AS (DELETE FROM {_staged.name} RETURNING *), fresh AS (SELECT * FROM taken WHERE part = ANY(:parts) "  # noqa: S608
            f"AND NOT EXISTS (SELECT FROM {log.name} AS old WHERE old.event_id = taken.event_id "
            "AND old.user_id = taken.user_id)) "
            f"INSERT INTO {log.name} (number, {names}, served, matched, received) "
            f"SELECT :before + row_number() OVER (ORDER BY user_id, window_number, seq), {names}, "
            "CAST(:served AS bigint), CAST(:matched AS bigint), CAST(:received AS bigint) FROM fresh"
        ),
        {
            "parts": parts,
            "before": last_number(connection, log.c.number),
            "served": found.served,
            "matched": found.matched,
            "received": received,
        },
    ).rowcount
