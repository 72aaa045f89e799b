"""Digests: the schedules of the users, the content of each digest, and what was left out of it."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sql

from rankcast.language import dumps
from rankcast.plain import JsonObject
from rankcast.store import schema
from rankcast.store.audit_log import AuditAction, note, remove_setting
from rankcast.store.schema import NUMBER, DatabaseRow, metadata, microseconds, required
from rankcast.store.sql import Log, columns_of, last_number, record_of
from rankcast.store.state_pages import ClockAdvance, PageMark, StatePage, page_of_user
from rankcast.store.texts import readable

schedules = sql.Table(
    "digest_schedules",
    metadata,
    sql.Column("user_id", sql.Text, primary_key=True),
    required("schedule", sql.Text, comment="JSON"),
    required("next_at", sql.BigInteger, index=True),
    required("delivery_since", sql.BigInteger, comment="the last delivery before the schedule was made"),
    required("delivery_reached", sql.BigInteger, comment="the last delivery that a digest holds"),
    required("offset_reached", sql.BigInteger, comment="the last event that a digest counts"),
    required("catalog_version", sql.BigInteger, comment="of that event"),
    required("state", sql.LargeBinary, comment="how the user stood in the delivery then"),
    comment="Who wants digests when, and how far the last one went.",
)

digests = sql.Table(
    "digests",
    metadata,
    sql.Column("number", NUMBER, primary_key=True, autoincrement=False),
    required("user_id", sql.Text),
    required("schedule", sql.Text, comment="JSON"),
    required("due_at", sql.BigInteger),
    required("made_at", sql.BigInteger),
    required("delivery_after", sql.BigInteger),
    required("delivery_through", sql.BigInteger),
    required("offset_after", sql.BigInteger),
    required("offset_through", sql.BigInteger),
    required("delivered", sql.BigInteger),
    required("counts", sql.Text, comment="JSON"),
    sql.Index("ix_digests_user", "user_id", "number"),
    comment="The digests: the deliveries of a user between two numbers, and the figures of the events between two offsets.",
)

left_out = sql.Table(
    "digest_left_out",
    metadata,
    sql.Column("digest", NUMBER, sql.ForeignKey(digests.c.number), primary_key=True),
    sql.Column("position", sql.Integer, primary_key=True, autoincrement=False),
    required("event_id", sql.Text),
    required("seq", sql.BigInteger),
    sql.Column("rank", sql.Double),
    required("reason", sql.Text),
    required("detail", sql.Text),
    comment="Events that matched the user and were not sent, the best first, with the reason.",
)


class PipelineMoment(NamedTuple):
    """A consistent position of the pipeline.

    All events up to `offset` were served with that catalog version and caused all deliveries up to `delivery`.
    """

    offset: int
    catalog_version: int
    delivery: int


@dataclass(frozen=True, slots=True)
class KeptSchedule:
    """A user's digest schedule: `schedule` as plain data, and when the next digest is due.

    It also holds the position where the last digest ended, or where the schedule was created, and the user's delivery
    state there.
    """

    user: str
    schedule: JsonObject
    next: datetime
    since: int
    reached: PipelineMoment
    state: bytes


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An event that matched the user but was not delivered. `rank` is None if it was not ranked."""

    event: str
    seq: int
    rank: float | None
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class KeptDigest:
    """The deliveries to a user in a range of numbers, with statistics of the events in a range of offsets.

    Each range excludes its start and includes its end.
    """

    number: int
    user: str
    schedule: JsonObject
    due: datetime
    made: datetime
    deliveries: tuple[int, int]
    offsets: tuple[int, int]
    delivered: int
    counts: JsonObject


class DigestLog(Log):
    """The schedules and digests of all users. Each method is one short transaction."""

    def cut(self) -> PipelineMoment:
        """The current position of the pipeline."""
        with self._database.reading() as connection:
            return _cut(connection)

    def cut_with_page(
        self, find: Callable[[Sequence[PageMark]], PageMark | None]
    ) -> tuple[PipelineMoment, tuple[StatePage, list[ClockAdvance]] | None]:
        """The current position of the pipeline, with a page of its state and the clock advances after that page."""
        with self._database.reading() as connection:
            return _cut(connection), page_of_user(connection, find)

    # schedules

    def put_schedule(self, kept: KeptSchedule, expected: PipelineMoment | None = None) -> bool:
        """Set a user's schedule. An existing schedule continues from where its last digest ended.

        With `expected`, nothing changes unless the pipeline is still at that position, so that no delivery is missed.
        Returns whether the schedule was set.
        """
        new = {"schedule": dumps(kept.schedule), "next_at": microseconds(kept.next)}
        with self._database.writing() as connection:
            there = schedules.c.user_id == kept.user
            if not connection.execute(sql.update(schedules).where(there).values(new)).rowcount:
                if expected is not None and _cut(connection) != expected:
                    return False
                row = {**new, **_reached(kept.reached, kept.state)}
                connection.execute(sql.insert(schedules).values(user_id=kept.user, delivery_since=kept.since, **row))
            note(connection, self._now(), AuditAction.CHANGE_PUSH, kept.user, f"digest schedule {new['schedule']}")
            return True

    def remove_schedule(self, user: str) -> bool:
        """Stop making digests for a user. Returns whether there was a schedule."""
        return remove_setting(self._database, schedules, user, "the digest schedule")

    def schedule(self, user: str) -> KeptSchedule | None:
        """A user's schedule; None if there is none."""
        return self._first(sql.select(schedules).where(schedules.c.user_id == user), _schedule)

    def due(self, now: datetime) -> list[KeptSchedule]:
        """The schedules whose digest is due, the longest overdue first."""
        query = sql.select(schedules).where(schedules.c.next_at <= microseconds(now))
        return [_schedule(row) for row in self._all(query.order_by(schedules.c.next_at, schedules.c.user_id))]

    def count(self) -> int:
        """The number of schedules."""
        return int(self._value(sql.select(sql.func.count()).select_from(schedules)))

    # digests

    def add(
        self,
        start: KeptSchedule,
        through: PipelineMoment,
        delivered: int,
        counts: JsonObject,
        omitted: Sequence[LeftOut],
        state: bytes,
        following: datetime,
        now: datetime,
    ) -> int | None:
        """Store a digest and set its schedule to `following`, in one transaction. Returns the number of the digest.

        The digest begins where `start` ended. Its time is when it was due, or `now` if that is earlier. Returns None
        and stores nothing if another process was faster or the schedule is gone.
        """
        with self._database.writing() as connection:
            moved = connection.execute(
                sql.update(schedules)
                .where(
                    schedules.c.user_id == start.user,
                    schedules.c.next_at == microseconds(start.next),
                    schedules.c.offset_reached == start.reached.offset,
                    schedules.c.delivery_reached == start.reached.delivery,
                )
                .values(next_at=microseconds(following), **_reached(through, state))
            )
            if moved.rowcount != 1:
                return None
            number = last_number(connection, digests.c.number) + 1
            connection.execute(
                sql.insert(digests).values(
                    number=number,
                    user_id=start.user,
                    schedule=dumps(start.schedule),
                    due_at=microseconds(min(start.next, now)),
                    made_at=microseconds(now),
                    delivery_after=start.reached.delivery,
                    delivery_through=through.delivery,
                    offset_after=start.reached.offset,
                    offset_through=through.offset,
                    delivered=delivered,
                    counts=dumps(counts),
                )
            )
            rows = [
                columns_of(left_out, one, digest=number, position=position) for position, one in enumerate(omitted, 1)
            ]
            if rows:
                connection.execute(sql.insert(left_out), rows)
            return number

    def digests(self, user: str, before: int | None, limit: int) -> list[KeptDigest]:
        """The digests of a user before a number, newest first."""
        query = sql.select(digests).where(digests.c.user_id == user).order_by(digests.c.number.desc()).limit(limit)
        if before is not None:
            query = query.where(digests.c.number < before)
        return [_digest(row) for row in self._all(query)]

    def digest(self, number: int) -> KeptDigest | None:
        """The digest with this number; None if there is none."""
        return self._first(sql.select(digests).where(digests.c.number == number), _digest)

    def last(self) -> int:
        """The number of the last digest; 0 if there is none."""
        with self._database.reading() as connection:
            return last_number(connection, digests.c.number)

    def left_out(self, digest: int, reason: str | None, after: int, limit: int) -> list[tuple[int, LeftOut]]:
        """What a digest left out after a position, best first, with positions."""
        query = sql.select(left_out).where(left_out.c.digest == digest, left_out.c.position > after)
        if reason is not None:
            query = query.where(left_out.c.reason == reason)
        rows = self._all(query.order_by(left_out.c.position).limit(limit))
        return [(row.position, record_of(LeftOut, row)) for row in rows]


def _cut(connection: sql.Connection) -> PipelineMoment:
    row = connection.execute(sql.select(schema.progress)).one()
    return PipelineMoment(row.event_offset, row.catalog_version, last_number(connection, schema.deliveries.c.number))


def _reached(cut: PipelineMoment, state: bytes) -> JsonObject:
    return {
        "delivery_reached": cut.delivery,
        "offset_reached": cut.offset,
        "catalog_version": cut.catalog_version,
        "state": state,
    }


def _schedule(row: DatabaseRow) -> KeptSchedule:
    with readable(f"the digest schedule of {row.user_id!r}"):
        return record_of(
            KeptSchedule,
            row,
            schedule=json.loads(row.schedule),
            since=row.delivery_since,
            reached=PipelineMoment(row.offset_reached, row.catalog_version, row.delivery_reached),
            state=bytes(row.state),
        )


def _digest(row: DatabaseRow) -> KeptDigest:
    with readable(f"digest {row.number}"):
        return record_of(
            KeptDigest,
            row,
            schedule=json.loads(row.schedule),
            deliveries=(row.delivery_after, row.delivery_through),
            offsets=(row.offset_after, row.offset_through),
            counts=json.loads(row.counts),
        )
