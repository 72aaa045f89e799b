"""Quiet hours: when users want no deliveries pushed, and what was held back since they began."""

import json
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import BigInteger, Column, Table, Text, select, update

from rankcast.language import dumps
from rankcast.plain import JsonObject
from rankcast.store import schema
from rankcast.store.audit_log import AuditAction, note, remove_setting
from rankcast.store.schema import DatabaseRow, metadata, microseconds, required
from rankcast.store.sql import Log, last_number, put_rows, record_of
from rankcast.store.texts import readable

quiet_hours = Table(
    "quiet_hours",
    metadata,
    Column("user_id", Text, primary_key=True),
    required("hours", Text, comment="JSON"),
    Column("began_at", BigInteger, comment="the beginning of the quiet hours seen last"),
    Column("delivery_after", BigInteger, comment="the last delivery when they were first seen"),
    comment="When users want nothing pushed.",
)


@dataclass(frozen=True, slots=True)
class KeptQuiet:
    """A user's quiet hours (plain data), when the latest ones began, and the last delivery before them."""

    user: str
    hours: JsonObject
    began: datetime | None = None
    after: int | None = None


class QuietLog(Log):
    """The quiet hours of all users. Each method is one short transaction."""

    def put(self, user: str, hours: JsonObject) -> None:
        """Set or replace a user's quiet hours."""
        row = {"user_id": user, "hours": dumps(hours), "began_at": None, "delivery_after": None}
        with self._database.writing() as connection:
            put_rows(connection, quiet_hours, [row], replace=["hours", "began_at", "delivery_after"])
            note(connection, self._now(), AuditAction.CHANGE_PUSH, user, f"quiet hours {row['hours']}")

    def remove(self, user: str) -> bool:
        """Remove a user's quiet hours. Returns whether there were any."""
        return remove_setting(self._database, quiet_hours, user, "quiet hours")

    def of(self, user: str) -> KeptQuiet | None:
        """The quiet hours of a user; None if there are none."""
        return self._first(select(quiet_hours).where(quiet_hours.c.user_id == user), _kept)

    def all(self) -> list[KeptQuiet]:
        """The quiet hours of all users, ordered by user."""
        return [_kept(row) for row in self._all(select(quiet_hours).order_by(quiet_hours.c.user_id))]

    def mark(self, user: str, began: datetime) -> None:
        """Record, once, that quiet hours have begun and that deliveries are held from now on."""
        with self._database.writing() as connection:
            after = last_number(connection, schema.deliveries.c.number)
            new = {"began_at": microseconds(began), "delivery_after": after}
            connection.execute(update(quiet_hours).where(quiet_hours.c.user_id == user).values(new))


def _kept(row: DatabaseRow) -> KeptQuiet:
    with readable(f"the quiet hours of {row.user_id!r}"):
        return record_of(KeptQuiet, row, hours=json.loads(row.hours), after=row.delivery_after)
