"""Samples over time, while a service runs: how much a store was used, and how vague subscriptions matched."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Column, ColumnElement, Double, Table, delete, func, select

from rankcast.store.engine import Database
from rankcast.store.schema import datetime_of, metadata, microseconds, required
from rankcast.store.sql import Log, put_rows
from rankcast.store.status import Status

SAMPLE = timedelta(seconds=5)
"""The time between two samples of the activity."""
VAGUE_SAMPLE = timedelta(seconds=30)
"""The time between two comparisons of vague subscriptions with crisp ones."""

_THINNED = 12
_FINE = timedelta(days=1)
_KEPT = timedelta(days=30)
_POINTS = 240

_activity = Table(
    "activity",
    metadata,
    Column("slot", BigInteger, primary_key=True, autoincrement=False, comment="the time in units of five seconds"),
    required("sampled", BigInteger),
    required("published", BigInteger, comment="from here on, counts since the store was created"),
    required("served", BigInteger),
    required("delivered", BigInteger),
    required("waited", Double, comment="seconds since the oldest event that was not served"),
    comment="Samples of the counts of the store; of samples older than a day one in twelve is kept, for 30 days.",
)

_vague = Table(
    "vague_matches",
    metadata,
    Column("slot", BigInteger, primary_key=True, autoincrement=False, comment="the time in units of 30 seconds"),
    required("sampled", BigInteger),
    required("events", BigInteger, comment="how many events were compared"),
    required("subscriptions", BigInteger, comment="with how many vague subscriptions"),
    required("vague", BigInteger, comment="from here on, matching pairs: as subscribed"),
    required("at_thresholds", BigInteger, comment="crisp: what reaches the thresholds"),
    required("at_core", BigInteger, comment="crisp: what fully deserves the word"),
    comment="The same wishes, vague and crisp; no row while nothing was published. Kept for 30 days.",
)


class ActivitySample(NamedTuple):
    """The counts at one moment; `lag` and `waited` are the largest since the sample before."""

    time: datetime
    published: int
    served: int
    delivered: int
    lag: int
    waited: float


class VagueSample(NamedTuple):
    """Matching pairs of an event and a vague subscription, of some events up to a time."""

    time: datetime
    events: int
    subscriptions: int
    vague: int
    at_thresholds: int
    at_core: int


class _SampledLog(Log):
    """Rows by slots of time. Several services over one store make one row per slot together."""

    def __init__(self, database: Database, table: Table, every: timedelta) -> None:
        super().__init__(database)
        self._table = table
        self._every = every

    def _slot(self, time: datetime) -> int:
        return microseconds(time) // (self._every // timedelta(microseconds=1))

    def _over(
        self, span: timedelta, columns: Sequence[ColumnElement[Any]], fewest: int = 1
    ) -> tuple[Sequence[Any], timedelta]:
        """These columns of the last `span`, oldest first, in at most some 240 rows, each of at least `fewest` slots;
        and the usual time between two of them."""
        slot, slots = self._table.c.slot, max(fewest, int(span / self._every) // _POINTS)
        query = select(*columns).where(slot >= self._slot(self._database.clock() - span))
        return self._all(query.group_by(slot // slots).order_by(func.max(slot))), self._every * slots


class ActivityLog(_SampledLog):
    """The samples of the activity of a store."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, _activity, SAMPLE)

    def sample(self, status: Status) -> None:
        """Keep the current counts."""
        now = self._database.clock()
        waited = 0.0 if status.waiting_since is None else max((now - status.waiting_since).total_seconds(), 0.0)
        row = {
            "slot": self._slot(now),
            "sampled": microseconds(now),
            "published": status.published,
            "served": status.served,
            "delivered": status.deliveries,
            "waited": waited,
        }
        with self._database.writing() as connection:
            put_rows(connection, _activity, [row], replace=[name for name in row if name != "slot"])

    def thin(self) -> int:
        """Delete samples that are too old or too dense. Returns how many. Cost: a scan of some 50,000 rows."""
        now, slot = self._database.clock(), _activity.c.slot
        dense = (slot < self._slot(now - _FINE)) & (slot % _THINNED != 0)
        return self._change(delete(_activity).where((slot < self._slot(now - _KEPT)) | dense))

    def over(self, span: timedelta) -> tuple[list[ActivitySample], timedelta]:
        """The samples of the last `span`, oldest first, at most some 240; and the usual time between two of them."""
        c = _activity.c
        counts = [c.sampled, c.published, c.served, c.delivered, c.published - c.served, c.waited]
        rows, every = self._over(span, [func.max(count) for count in counts], _THINNED if span > _FINE else 1)
        return [ActivitySample(datetime_of(time), *row) for time, *row in rows], every


class VagueLog(_SampledLog):
    """The comparisons of a store."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, _vague, VAGUE_SAMPLE)

    def add(self, *counts: int) -> None:
        """Keep a comparison: the fields of `VagueSample` without the time. Old ones are deleted."""
        now = self._database.clock()
        names = ("events", "subscriptions", "vague", "at_thresholds", "at_core")
        row = {"slot": self._slot(now), "sampled": microseconds(now), **dict(zip(names, counts, strict=True))}
        with self._database.writing() as connection:
            put_rows(connection, _vague, [row], replace=[name for name in row if name != "slot"])
            connection.execute(delete(_vague).where(_vague.c.slot < self._slot(now - _KEPT)))

    def over(self, span: timedelta) -> tuple[list[VagueSample], timedelta]:
        """The comparisons of the last `span`, oldest first, at most some 240; and the usual time between two."""
        c = _vague.c
        sums = [func.sum(column) for column in (c.events, c.vague, c.at_thresholds, c.at_core)]
        rows, every = self._over(span, [func.max(c.sampled), func.max(c.subscriptions), *sums])
        found = [
            VagueSample(datetime_of(time), int(events), int(subscriptions), *map(int, counts))
            for time, subscriptions, events, *counts in rows
        ]
        return found, every
