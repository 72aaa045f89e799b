"""How much a store was used over time: counts, sampled every few seconds while a service runs."""

from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import BigInteger, Column, Double, Table, delete, func, select

from rankcast.store.schema import datetime_of, metadata, microseconds
from rankcast.store.sql import Log, put_rows
from rankcast.store.status import Status

SAMPLE = timedelta(seconds=5)
"""The time between two samples."""
_THINNED = 12
_FINE = timedelta(days=1)
_KEPT = timedelta(days=30)
_POINTS = 240

_activity = Table(
    "activity",
    metadata,
    Column("slot", BigInteger, primary_key=True, autoincrement=False, comment="the time in units of five seconds"),
    Column("sampled", BigInteger, nullable=False),
    Column("published", BigInteger, nullable=False, comment="from here on, counts since the store was created"),
    Column("served", BigInteger, nullable=False),
    Column("delivered", BigInteger, nullable=False),
    Column("waited", Double, nullable=False, comment="seconds since the oldest event that was not served"),
    comment="Samples of the counts of the store; of samples older than a day one in twelve is kept, for 30 days.",
)


class ActivitySample(NamedTuple):
    """The counts at one moment; `lag` and `waited` are the largest since the sample before."""

    time: datetime
    published: int
    served: int
    delivered: int
    lag: int
    waited: float


class ActivityLog(Log):
    """The samples of a store. Several services over one store make one sample per slot together."""

    def sample(self, status: Status) -> None:
        """Keep the current counts."""
        now = self._database.clock()
        waited = 0.0 if status.waiting_since is None else max((now - status.waiting_since).total_seconds(), 0.0)
        row = {
            "slot": _slot(now),
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
        dense = (slot < _slot(now - _FINE)) & (slot % _THINNED != 0)
        with self._database.writing() as connection:
            return connection.execute(delete(_activity).where((slot < _slot(now - _KEPT)) | dense)).rowcount

    def over(self, span: timedelta) -> tuple[list[ActivitySample], timedelta]:
        """The samples of the last `span`, oldest first, at most some 240; and the usual time between two of them."""
        now, c = self._database.clock(), _activity.c
        every = max(1, int(span / SAMPLE) // _POINTS)
        if span > _FINE:
            every = max(every, _THINNED)
        query = (
            select(
                func.max(c.sampled),
                func.max(c.published),
                func.max(c.served),
                func.max(c.delivered),
                func.max(c.published - c.served),
                func.max(c.waited),
            )
            .where(c.slot >= _slot(now - span))
            .group_by(c.slot // every)
            .order_by(func.max(c.slot))
        )
        rows = self._all(query)
        return [ActivitySample(datetime_of(row[0]), *row[1:]) for row in rows], SAMPLE * every


def _slot(time: datetime) -> int:
    return microseconds(time) // (SAMPLE // timedelta(microseconds=1))
