"""Which pipeline serves a store: one at a time, and none that starts over unnoticed."""

from typing import NamedTuple

from sqlalchemy import Connection, delete, insert, select, update

from rankcast.errors import StoreError
from rankcast.store.engine import Database
from rankcast.store.schema import microseconds, pipeline, progress, shard_states
from rankcast.store.sql import mark_of, put_mark

__all__ = ["IN_PROCESS", "SPARK", "BatchCounts", "Pipeline", "PipelineLog"]

IN_PROCESS = "process"
SPARK = "spark"

_DUE = "end of the next period"
"""The mark of when the clock ends a period in which something waits, of a pipeline on Spark."""
_NEVER = 2**62


class Pipeline(NamedTuple):
    """The pipeline that serves a store, and what it has done since it began at `start_offset`.

    `name` is what its checkpoint carries too; `last_batch` is -1 before the first commit. Times are in microseconds.
    """

    name: str
    engine: str
    place: str
    shards: int
    start_offset: int
    start_version: int
    last_batch: int
    claimed: int
    committed: int | None
    events: int
    matched: int
    delivered: int
    late: int
    rejected: int
    seconds: float
    state_bytes: int


class BatchCounts(NamedTuple):
    """What one batch did, to be added to what the pipeline has done."""

    number: int
    events: int = 0
    matched: int = 0
    late: int = 0
    rejected: int = 0
    seconds: float = 0.0
    state_bytes: int = 0


class PipelineLog:
    """The one row that says who serves the store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def pipeline(self) -> Pipeline | None:
        """Who serves the store; None if nobody has yet."""
        with self._database.reading() as connection:
            return present(connection)

    def due(self) -> int:
        """When the clock ends the next period in which something waits, in microseconds, as of the last batch of a pipeline on
        Spark; far in the future if nothing waits, 0 if there is delivery state of which no batch has said."""
        with self._database.reading() as connection:
            known = present(connection)
            if known is not None and known.last_batch >= 0:
                return mark_of(connection, _DUE) or 0
            is_taken_over = known is not None and known.start_version >= 0
            has_states = connection.execute(select(shard_states.c.shard).limit(1)).first() is not None
            return 0 if is_taken_over and has_states else _NEVER

    def claim(self, name: str, engine: str, place: str, shards: int, start_offset: int | None) -> Pipeline:
        """Let a new pipeline serve the store from now on.

        A pipeline on Spark takes over from one in-process, with its state. It does not take over from another on Spark
        that has committed a batch: that one's checkpoint holds the state. `start_offset` serves the log from there, with
        no state, whoever served the store before; by default the progress is where it goes on.
        """
        with self._database.writing() as connection:
            before = present(connection)
            # It is the same again after a crash in its first batch; after a later one it would begin anew.
            if before is not None and before.name == name and before.last_batch <= 0:
                return before
            if start_offset is None and before is not None and before.engine == SPARK and before.last_batch >= 0:
                raise StoreError(
                    f"the store {self._database.place!r} is served by the pipeline with the checkpoint {before.place!r}, and "
                    f"{place!r} is not it, or has lost its offsets; start again with that checkpoint. If it is gone, "
                    "`rankcast state rebuild` makes the delivery state anew out of the event log"
                )
            at = connection.execute(select(progress.c.event_offset, progress.c.catalog_version)).one()
            offset, version = (at[0], at[1]) if start_offset is None else (start_offset, -1)
            put(connection, Pipeline(name, engine, place, shards, offset, version, -1, self._now(), None, *[0] * 7))
            found = present(connection)
        assert found is not None
        return found

    def release(self) -> None:
        """Forget who serves the store: the state in the store itself is what the next one starts with."""
        with self._database.writing() as connection:
            connection.execute(delete(pipeline))

    def _now(self) -> int:
        return microseconds(self._database.clock())


def present(connection: Connection) -> Pipeline | None:
    """The row, if there is one."""
    columns = [pipeline.c[name] for name in Pipeline._fields]
    row = connection.execute(select(*columns)).first()
    return None if row is None else Pipeline(*row)


def put(connection: Connection, new: Pipeline) -> None:
    """Replace the row."""
    connection.execute(delete(pipeline))
    connection.execute(insert(pipeline).values(id=1, **new._asdict()))


def put_due(connection: Connection, due: int | None) -> None:
    """Remember when the clock ends the next period; None if nothing waits."""
    put_mark(connection, _DUE, _NEVER if due is None else due)


def count(connection: Connection, known: Pipeline, done: BatchCounts, delivered: int, now: int) -> None:
    """Add a batch to what the pipeline has done."""
    connection.execute(
        update(pipeline).values(
            last_batch=max(known.last_batch, done.number),
            committed=now,
            events=known.events + done.events,
            matched=known.matched + done.matched,
            delivered=known.delivered + delivered,
            late=known.late + done.late,
            rejected=known.rejected + done.rejected,
            seconds=done.seconds,
            state_bytes=done.state_bytes,
        )
    )
