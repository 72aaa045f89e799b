"""Which pipeline serves a store: one at a time, and none that silently starts over."""

from typing import NamedTuple

from sqlalchemy import Connection, delete, insert, select, update

from rankcast.errors import StoreError
from rankcast.store.schema import broker_self, pipeline, progress
from rankcast.store.sql import Log, mark_of, put_mark
from rankcast.store.state_pages import has_pages

IN_PROCESS = "process"
SPARK = "spark"

_DUE = "end of the next period"
"""Name of the mark for when the clock ends the next period with pending candidates, for a pipeline on Spark."""
_NEVER = 2**62


class Pipeline(NamedTuple):
    """The pipeline that serves a store, and what it has done since `start_offset`.

    Its checkpoint carries the same `name`. `last_batch` is -1 before the first commit. Times are in microseconds.
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
    """The counts of one batch, to be added to those of the pipeline."""

    number: int
    events: int = 0
    matched: int = 0
    late: int = 0
    rejected: int = 0
    seconds: float = 0.0
    state_bytes: int = 0


class PipelineLog(Log):
    """The single row that says which pipeline serves the store."""

    def pipeline(self) -> Pipeline | None:
        """The pipeline that serves the store; None if there has been none."""
        with self._database.reading() as connection:
            return present(connection)

    def due(self) -> int:
        """When the clock ends the next period with pending candidates, in microseconds, as of the last Spark batch.

        It is far in the future if nothing is pending, and 0 if there is delivery state that no batch has examined
        yet.
        """
        with self._database.reading() as connection:
            known = present(connection)
            if known is not None and known.last_batch >= 0:
                return mark_of(connection, _DUE) or 0
            is_taken_over = known is not None and known.start_version >= 0
            has_states = has_pages(connection)
            return 0 if is_taken_over and has_states else _NEVER

    def claim(self, name: str, place: str, shards: int, start_offset: int | None = None) -> Pipeline:
        """Make a new pipeline on Spark the one that serves the store.

        It takes over from an in-process one, with its state. It does not take over from another
        pipeline on Spark that has committed a batch, because that one's checkpoint holds the state. By default it
        continues from the progress. With `start_offset` it starts there with no state, whichever pipeline served the
        store before.
        """
        with self._database.writing() as connection:
            if connection.execute(select(broker_self.c.id)).first() is not None:
                raise StoreError(
                    f"the store {self._database.place!r} is that of a broker in a tree, which a pipeline on Spark does not "
                    "serve; use `rankcast serve`, or `rankcast run` without Spark"
                )
            before = present(connection)
            # After a crash in its first batch, the same pipeline claims again. Later, it would start over.
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
            put(connection, Pipeline(name, SPARK, place, shards, offset, version, -1, self._now(), None, *[0] * 7))
            found = present(connection)
        assert found is not None
        return found

    def release(self) -> None:
        """Forget which pipeline serves the store. The next one starts with the state in the store."""
        with self._database.writing() as connection:
            connection.execute(delete(pipeline))


def present(connection: Connection) -> Pipeline | None:
    """The row, or None if there is none."""
    columns = [pipeline.c[name] for name in Pipeline._fields]
    row = connection.execute(select(*columns)).first()
    return None if row is None else Pipeline(*row)


def put(connection: Connection, new: Pipeline) -> None:
    """Replace the row."""
    connection.execute(delete(pipeline))
    connection.execute(insert(pipeline).values(id=1, **new._asdict()))


def put_due(connection: Connection, due: int | None) -> None:
    """Store when the clock ends the next period; None if nothing is pending."""
    put_mark(connection, _DUE, _NEVER if due is None else due)


def count(connection: Connection, known: Pipeline, done: BatchCounts, delivered: int, now: int) -> None:
    """Add a batch to the counts of the pipeline."""
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
