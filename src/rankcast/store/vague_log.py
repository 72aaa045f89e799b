"""How often vague subscriptions matched over time, beside their crisp counterparts."""

from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import BigInteger, Column, Table, delete, func, select

from rankcast.store.schema import datetime_of, metadata, microseconds
from rankcast.store.sql import Log, put_rows

VAGUE_SAMPLE = timedelta(seconds=30)
"""The time between two comparisons."""
_KEPT = timedelta(days=30)
_POINTS = 240

_vague = Table(
    "vague_matches",
    metadata,
    Column("slot", BigInteger, primary_key=True, autoincrement=False, comment="the time in units of 30 seconds"),
    Column("sampled", BigInteger, nullable=False),
    Column("events", BigInteger, nullable=False, comment="how many events were compared"),
    Column("subscriptions", BigInteger, nullable=False, comment="with how many vague subscriptions"),
    Column("vague", BigInteger, nullable=False, comment="from here on, matching pairs: as subscribed"),
    Column("at_thresholds", BigInteger, nullable=False, comment="crisp: what reaches the thresholds"),
    Column("at_core", BigInteger, nullable=False, comment="crisp: what fully deserves the word"),
    comment="The same wishes, vague and crisp; no row while nothing was published. Kept for 30 days.",
)


class VagueSample(NamedTuple):
    """Matching pairs of an event and a vague subscription, of some events up to a time."""

    time: datetime
    events: int
    subscriptions: int
    vague: int
    at_thresholds: int
    at_core: int


class VagueLog(Log):
    """The comparisons of a store. Several services over one store make one per slot together."""

    def add(self, *counts: int) -> None:
        """Keep a comparison: the fields of `VagueSample` without the time. Old ones are deleted."""
        now = self._database.clock()
        names = ("events", "subscriptions", "vague", "at_thresholds", "at_core")
        row = {"slot": _slot(now), "sampled": microseconds(now), **dict(zip(names, counts, strict=True))}
        with self._database.writing() as connection:
            put_rows(connection, _vague, [row], replace=[name for name in row if name != "slot"])
            connection.execute(delete(_vague).where(_vague.c.slot < _slot(now - _KEPT)))

    def over(self, span: timedelta) -> tuple[list[VagueSample], timedelta]:
        """The comparisons of the last `span`, oldest first, at most some 240; and the usual time between two."""
        now, c = self._database.clock(), _vague.c
        every = max(1, int(span / VAGUE_SAMPLE) // _POINTS)
        sums = [func.sum(column) for column in (c.events, c.vague, c.at_thresholds, c.at_core)]
        query = (
            select(func.max(c.sampled), func.max(c.subscriptions), *sums)
            .where(c.slot >= _slot(now - span))
            .group_by(c.slot // every)
            .order_by(func.max(c.slot))
        )
        rows = self._all(query)
        found = [
            VagueSample(datetime_of(time), int(events), int(subscriptions), *map(int, counts))
            for time, subscriptions, events, *counts in rows
        ]
        return found, VAGUE_SAMPLE * every


def _slot(time: datetime) -> int:
    return microseconds(time) // (VAGUE_SAMPLE // timedelta(microseconds=1))
