"""Prune old rows by retention rules, in short transactions that do not disturb other users of the store."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from time import monotonic, sleep
from typing import Any, NamedTuple
from uuid import uuid4

from sqlalchemy import Column, ColumnElement, Connection, delete, func, not_, select

from rankcast.errors import StoreError
from rankcast.model import EPOCH
from rankcast.store import schema
from rankcast.store.access_log import ended_sessions, sessions
from rankcast.store.audit_log import AuditAction, audit, note_now
from rankcast.store.broker_log import forget_routes
from rankcast.store.catalog.history import (
    compact,
    compactions,
    forget_versions,
    oldest_version,
    set_oldest_version,
)
from rankcast.store.catalog.log import newest_version
from rankcast.store.engine import Database
from rankcast.store.leases import Lease
from rankcast.store.push.digest_log import digests
from rankcast.store.push.webhook_messages import messages
from rankcast.store.retention.log_sizes import LogSize
from rankcast.store.retention.needs import is_delivery_held, is_event_held, needs
from rankcast.store.retention.pushes import forget_pushed
from rankcast.store.retention.rules import KINDS, SHORTEST, RetentionRule, Rules, show_rules
from rankcast.store.schema import catalog_changes, datetime_of, deliveries, events, microseconds, rejects
from rankcast.store.set_aside import set_aside
from rankcast.store.sql import last_number, mark_last
from rankcast.store.state_pages import forget_past_pages

_TARGET = 0.02
"""Target duration of a transaction in seconds. Including the wait for the writer's lock, it stays below 50 ms."""
_FEWEST, _FIRST, _MOST = 200, 500, 5_000
_LOOK = 1.0
_PAGES = 500
"""Number of 4 KiB pages that one transaction returns to the disk."""
_LEASE = timedelta(minutes=2)
_Advance = Callable[[int], None]


class Pruned(NamedTuple):
    """The number of rows that were (or would be) deleted, and the number before."""

    kind: str
    rows: int
    before: int


def prune(
    database: Database,
    rules: Rules,
    *,
    dry_run: bool = False,
    advance: _Advance = lambda rows: None,
    stopped: Callable[[], bool] = lambda: False,
) -> list[Pruned]:
    """Delete the rows that the rules no longer keep. Returns the counts for each kind with a rule.

    With `dry_run`, rows are only counted. Rows that are still needed (`rankcast.store.retention.needs`) and rows younger than
    ten minutes always stay. Rows are deleted a few hundred at a time, in transactions of about 20 ms with pauses of
    the same length in between.

    Refused while another process prunes the same store. `advance` receives the number of deleted rows. As soon as
    `stopped` returns True, the rest waits for the next run.
    """
    ruled = [kind.name for kind in KINDS if rules.get(kind.name, RetentionRule()) != RetentionRule()]
    if dry_run:
        return [_Pruning(database, rules, dry_run, advance, stopped, lambda: None).of(name) for name in ruled]
    lease = Lease(database, "retention", uuid4().hex)
    held_until = [float("-inf")]

    def hold() -> None:
        if monotonic() > held_until[0]:
            if not lease.hold(database.clock(), _LEASE):
                raise StoreError(f"the store {database.place!r} is being pruned by another process; try again later")
            held_until[0] = monotonic() + _LEASE.total_seconds() / 4

    hold()
    try:
        done = [_Pruning(database, rules, dry_run, advance, stopped, hold).of(name) for name in ruled]
        if any(one.rows for one in done):
            gone = ", ".join(f"{one.rows:,} {one.kind}" for one in done if one.rows)
            note_now(database, AuditAction.PRUNE, None, f"{gone}; rules: {show_rules(rules)}")
        return done
    finally:
        lease.release()


class _Log(NamedTuple):
    """A log that is pruned from its start: its number column, its time column, and its size."""

    number: Column[int]
    time: ColumnElement[int]
    size: LogSize


def _log_of(number: Column[int], time: ColumnElement[int], *texts: Column[Any]) -> _Log:
    return _Log(number, time, LogSize(number, texts))


_LOGS = {
    "events": _log_of(events.c.event_offset, events.c.logged, events.c.content),
    "deliveries": _log_of(
        deliveries.c.number,
        func.coalesce(deliveries.c.received, deliveries.c.forwarded),
        deliveries.c.user_id,
        deliveries.c.event_id,
        deliveries.c.subscriptions,
    ),
    "rejects": _log_of(rejects.c.number, rejects.c.seen_at, rejects.c.raw, rejects.c.reason),
    "set-aside": _log_of(set_aside.c.number, set_aside.c.seen_at, set_aside.c.error),
    "audit": _log_of(audit.c.number, audit.c.done_at, audit.c.detail),
}
_versions = _Log(
    schema.catalog_versions.c.version,
    schema.catalog_versions.c.changed_at,
    LogSize(catalog_changes.c.version, (catalog_changes.c.record,)),
)


@dataclass
class _Pruning:
    """One run of pruning."""

    _database: Database
    _rules: Rules
    _dry_run: bool
    _advance: _Advance
    _stopped: Callable[[], bool]
    _hold: Callable[[], None]
    _size: int = _FIRST

    def of(self, name: str) -> Pruned:
        """Prune one kind of rows."""
        if name == "catalog":
            return self._catalog()
        if name in ("digests", "dead-letters"):
            return self._pushed(name)
        if name == "sessions":
            return self._sessions()
        return self._log(name, _LOGS[name])

    def _log(self, name: str, log: _Log) -> Pruned:
        with self._database.reading() as connection:
            count = connection.execute(select(func.count()).select_from(log.number.table)).scalar_one()
            through, goes = self._through(connection, name, log)
            if self._dry_run:
                gone = select(func.count()).select_from(log.number.table).where(log.number <= through, goes)
                return Pruned(name, connection.execute(gone).scalar_one(), count)
            first = connection.execute(select(func.min(log.number))).scalar()
        taken, at, looked = 0, (first or 1) - 1, monotonic()
        while at < through and not self._stopped():
            with self._step() as connection:
                if monotonic() - looked > _LOOK:  # a webhook may have been enabled again
                    looked = monotonic()
                    through = min(through, self._through(connection, name, log)[0])
                last = min(through, at + self._size)
                mark_last(connection, log.number)
                rows = delete(log.number.table).where(log.number > at, log.number <= last, goes)
                gone_now = connection.execute(rows).rowcount
                if name == "events":
                    forget_routes(connection, at, last)
                    forget_past_pages(connection, last)
                at = max(at, last)
            taken += gone_now
            self._advance(gone_now)
        return Pruned(name, taken, count)

    def _through(self, connection: Connection, name: str, log: _Log) -> tuple[int, ColumnElement[bool]]:
        """The number up to which a log may be pruned, and a condition for the rows before it that may be deleted."""
        through = self._by_rule(connection, name, log)
        if name == "events":
            return min(through, needs(connection).event), not_(is_event_held())
        if name == "deliveries":
            return min(through, needs(connection).delivery), not_(is_delivery_held())
        return through, log.number == log.number

    def _by_rule(self, connection: Connection, name: str, log: _Log) -> int:
        """The last number that the rule of a kind allows to delete."""
        rule, now = self._rules[name], self._database.clock()
        old = 0 if rule.age is None else _last_before(connection, log, now - rule.age)
        last = last_number(connection, log.number)
        many = 0 if rule.rows is None else last - rule.rows
        if rule.bytes is not None:
            many = max(many, log.size.last_beyond(connection, self._database, last, rule.bytes))
        return max(old, min(many, _last_before(connection, log, now - SHORTEST)) if many > 0 else 0)

    def _catalog(self) -> Pruned:
        with self._database.reading() as connection:
            count = connection.execute(select(func.count()).select_from(catalog_changes)).scalar_one()
            known = oldest_version(connection)
            oldest = max(known, self._oldest(connection))
            parts = list(compactions(connection, oldest)) if oldest else []
        if self._dry_run:
            return Pruned("catalog", sum(len(part.gone) for part in parts), count)
        if oldest > known:
            with self._step() as connection:
                oldest = max(oldest_version(connection), self._oldest(connection))
                set_oldest_version(connection, oldest)
            with self._database.reading() as connection:
                parts = list(compactions(connection, oldest))
        taken, waiting = 0, iter(parts)
        while not self._stopped() and (chosen := list(islice(waiting, max(1, self._size // 4)))):
            with self._step() as connection:
                gone = compact(connection, oldest, chosen)
            taken += gone
            self._advance(gone)
        while oldest and not self._stopped():
            with self._step() as connection:
                if not forget_versions(connection, oldest, self._size):
                    break
        return Pruned("catalog", taken, count)

    def _oldest(self, connection: Connection) -> int:
        """The oldest version that must stay."""
        first: int | None = connection.execute(
            select(events.c.catalog_version).order_by(events.c.event_offset).limit(1)
        ).scalar()
        bound = newest_version(connection) if first is None else first
        # A version ages from the change that replaced it.
        ruled = self._by_rule(connection, "catalog", _versions) - 1
        given_up = min(ruled, needs(connection).version, bound - 1)
        return max(0, given_up + 1)

    def _pushed(self, name: str) -> Pruned:
        """Prune digests or dead letters by the time of their content."""
        rule, now = self._rules[name], self._database.clock()
        if name == "digests":
            which = select(digests.c.made_at).order_by(digests.c.made_at.desc())
        else:
            which = select(messages.c.failed_at).where(messages.c.dead).order_by(messages.c.failed_at.desc())
        with self._database.reading() as connection:
            count = connection.execute(select(func.count()).select_from(which.subquery())).scalar_one()
            many = None if rule.rows is None else connection.execute(which.offset(rule.rows).limit(1)).scalar()
        before = EPOCH if rule.age is None else now - rule.age
        if many is not None:
            before = max(before, min(datetime_of(many + 1), now - SHORTEST))
        forgotten = forget_pushed(self._database, before, only=name, dry_run=self._dry_run)
        taken = forgotten.digests if name == "digests" else forgotten.dead_letters
        self._advance(0 if self._dry_run else taken)
        return Pruned(name, taken, count)

    def _sessions(self) -> Pruned:
        """Prune sessions that ended long ago. If there are too many sessions, those that ended first go."""
        rule, now = self._rules["sessions"], self._database.clock()
        with self._database.reading() as connection:
            count = connection.execute(select(func.count()).select_from(sessions)).scalar_one()
            ended = ended_sessions(connection, now)
        before = microseconds(EPOCH if rule.age is None else now - rule.age)
        latest = microseconds(now - SHORTEST)
        surplus = 0 if rule.rows is None else max(0, count - rule.rows)
        gone = [one for number, (at, one) in enumerate(ended) if at < before or (number < surplus and at < latest)]
        taken, waiting = 0, iter([] if self._dry_run else gone)
        while not self._stopped() and (chosen := list(islice(waiting, _FEWEST))):
            with self._step() as connection:
                taken += connection.execute(delete(sessions).where(sessions.c.id.in_(chosen))).rowcount
            self._advance(len(chosen))
        return Pruned("sessions", len(gone) if self._dry_run else taken, count)

    @contextmanager
    def _step(self) -> Iterator[Connection]:
        """One short write transaction, followed by a pause."""
        self._hold()
        with self._database.writing() as connection:
            begun = monotonic()
            yield connection
            # Without the commit: a disk flush takes a fixed time, however few rows there are.
            took = monotonic() - begun
        self._pace(took, monotonic() - begun)

    def _pace(self, took: float, altogether: float) -> None:
        """Choose the size of the next step by the duration of the last one, then pause so that others can write."""
        wanted = self._size * _TARGET / max(took, 1e-4)
        self._size = round(min(max(wanted, self._size / 4, _FEWEST), self._size * 2, _MOST))
        sleep(min(altogether, 1.0))


def _last_before(connection: Connection, log: _Log, time: datetime) -> int:
    """The last number of a log before a moment, found by O(log n) look-ups."""
    at = microseconds(time)
    low = connection.execute(select(func.min(log.number))).scalar()
    if low is None:
        return last_number(connection, log.number)
    low, high = low - 1, last_number(connection, log.number)
    while low < high:  # all rows up to `low` came before `time`, all after `high` did not
        middle = (low + high + 1) // 2
        query = select(log.number, log.time).where(log.number <= middle).order_by(log.number.desc()).limit(1)
        row = connection.execute(query).first()
        if row is None or row[1] < at:
            low = middle
        else:
            high = row[0] - 1
    return low


def shrink(database: Database, stopped: Callable[[], bool] = lambda: False) -> None:
    """Return the space of pruned rows to the disk, a few pages at a time; see `Database.shrink`."""
    left, before = database.shrink(_PAGES), -1
    while left and left != before and not stopped():
        sleep(_TARGET)
        before, left = left, database.shrink(_PAGES)
