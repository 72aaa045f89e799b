"""Leases: a task that one process at a time may do, as long as it keeps renewing its claim."""

from datetime import datetime, timedelta

from sqlalchemy import BigInteger, Column, Table, Text, delete, insert, or_, select, update

from rankcast.store.engine import Database
from rankcast.store.schema import metadata, microseconds, required

leases = Table(
    "leases",
    metadata,
    Column("task", Text, primary_key=True),
    required("holder", Text),
    required("until_at", BigInteger),
    comment="Which process does a task that only one may do, and until when it need not show that it is alive.",
)


class Lease:
    """The claim of one process, under its own name, to a task."""

    def __init__(self, database: Database, task: str, holder: str) -> None:
        self._database = database
        self._task = task
        self._holder = holder

    def hold(self, now: datetime, span: timedelta) -> bool:
        """Take or renew the task for a time span from `now`. Returns False if another process holds it."""
        until = microseconds(now + span)
        ours = or_(leases.c.holder == self._holder, leases.c.until_at <= microseconds(now))
        with self._database.writing() as connection:
            there = leases.c.task == self._task
            taken = connection.execute(update(leases).where(there, ours).values(holder=self._holder, until_at=until))
            if taken.rowcount == 0 and connection.execute(select(leases.c.task).where(there)).first() is None:
                connection.execute(insert(leases).values(task=self._task, holder=self._holder, until_at=until))
                return True
            return taken.rowcount == 1

    def release(self) -> None:
        """Give up the task, so that another process can take it at once."""
        mine = leases.c.task == self._task, leases.c.holder == self._holder
        with self._database.writing() as connection:
            connection.execute(delete(leases).where(*mine))
