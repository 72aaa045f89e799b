"""The deliveries, and the progress through the event log. Both are committed together or not at all."""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple

from sqlalchemy import Connection, delete, select, update

from rankcast.errors import StoreError
from rankcast.language import dumps
from rankcast.model import Delivery, Reject, SetAside
from rankcast.store import pipelines, schema
from rankcast.store.audit_log import AuditAction, note
from rankcast.store.blocks import block_by_block
from rankcast.store.catalog.log import newest_version
from rankcast.store.pipelines import IN_PROCESS, BatchCounts, Pipeline
from rankcast.store.rejects import keep
from rankcast.store.schema import DatabaseRow, datetime_of, microseconds
from rankcast.store.schema import deliveries as log
from rankcast.store.set_aside import keep_set_aside, mark_served
from rankcast.store.sql import LAST_START, Columns, Log, append_new, last_number, paged, put_mark
from rankcast.store.staging import StagedDeliveries, publish_staged
from rankcast.store.state_pages import StateChanges, StatePage, replace_pages, shard_count, write_changes
from rankcast.store.texts import readable


class Progress(NamedTuple):
    """How far the event log was processed: up to `offset`, the last event with `catalog_version`.

    `shards` is the number of shards in the saved delivery state, and 0 if there is none.
    """

    offset: int
    catalog_version: int
    shards: int


class Instants(NamedTuple):
    """When a pipeline received a batch, and when it had selected its deliveries."""

    served: datetime
    matched: datetime


class StoredDelivery:
    """A delivery in the log, which is decoded when it is asked for. It may name thousands of subscriptions."""

    def __init__(self, row: DatabaseRow) -> None:
        self.number: int = row.number
        self.user: str = row.user_id
        self._row = row

    @cached_property
    def delivery(self) -> Delivery:
        """The delivery."""
        row = self._row
        with readable(f"delivery {row.number}"):
            return Delivery(
                user=row.user_id,
                event=row.event_id,
                seq=row.seq,
                rank=row.rank,
                subscriptions=tuple(json.loads(row.subscriptions)),
                published=datetime_of(row.published),
                forwarded=datetime_of(row.forwarded),
                window=row.window_number,
                served=None if row.served is None else datetime_of(row.served),
                matched=None if row.matched is None else datetime_of(row.matched),
                received=None if row.received is None else datetime_of(row.received),
            )


class DeliveryLog(Log):
    """The deliveries in commit order, and the progress they belong to."""

    def commit(
        self,
        deliveries: Iterable[Delivery],
        offset: int,
        catalog_version: int,
        state: StateChanges,
        expected_offset: int,
        instants: Instants | None = None,
        set_aside: Iterable[SetAside] = (),
        matched: int = 0,
    ) -> int:
        """Write deliveries, progress, changes of the delivery state and set-aside rows in one transaction.

        Returns the number of new deliveries. `matched` is the number of matches, for the counts of the pipeline. If
        the same event was already delivered to the same user, that delivery stays unchanged.

        The commit is refused if the progress is no longer at `expected_offset`, because another process has processed
        the events, or if a pipeline on Spark serves the store.
        """
        now = self._now()
        columns = _columns(list(deliveries), now, instants)
        with self._database.writing(is_urgent=True) as connection:
            known = self._in_process(connection, _shards(state.pages), now)
            self._check(connection, offset, catalog_version, expected_offset)
            written = append_new(connection, log.c.number, columns)
            keep_set_aside(connection, set_aside, now)
            seconds = (instants.matched - instants.served).total_seconds() if instants else 0.0
            events = offset - expected_offset
            done = BatchCounts(known.last_batch + 1, events, matched, seconds=seconds, state_bytes=state.size)
            pipelines.count(connection, known, done, written, now)
            connection.execute(update(schema.progress).values(event_offset=offset, catalog_version=catalog_version))
            write_changes(connection, state)
        return written

    def save_state(self, state: StateChanges, expected_offset: int) -> None:
        """Save pages of the delivery state without a batch. Refused like `commit`."""
        with self._database.writing() as connection:
            self._in_process(connection, _shards(state.pages), self._now())
            at, _ = _reached(connection)
            if at != expected_offset:
                raise StoreError(_another(at, expected_offset))
            write_changes(connection, state)

    def commit_batch(
        self,
        pipeline: str,
        deliveries: Columns | StagedDeliveries | int,
        rejects: Sequence[tuple[str, Reject]],
        done: BatchCounts,
        start: int | None,
        offset: int | None,
        catalog_version: int,
        set_aside: Iterable[SetAside] = (),
        due: int | None = None,
    ) -> int:
        """Write the results of a Spark micro-batch in one transaction. Returns the number of new deliveries.

        Spark repeats a batch if it was killed before it learned of the commit. The repetition writes nothing twice.

        `deliveries` are columns of the table, or were copied before (`rankcast.store.staging`), or went elsewhere, and
        then this is their number. Their `received` time is the time of the commit. Rejects come with their keys.
        `start` and `offset` delimit the batch in the event log, and are None if the events come from elsewhere. `due` is when the clock ends the next period with pending candidates, in microseconds.

        The commit is refused if another pipeline serves the store, or if there is a gap between the progress and
        `start`.
        """
        now = self._now()
        with self._database.writing() as connection:
            known = pipelines.present(connection)
            if known is None or known.name != pipeline:
                raise StoreError(
                    f"the store {self._database.place!r} is {_served_by(known)}, not by this pipeline; nothing of its batch "
                    f"{done.number} was written"
                )
            again = done.number <= known.last_batch
            if isinstance(deliveries, int):
                written = 0 if again else deliveries
            elif isinstance(deliveries, StagedDeliveries):
                written = publish_staged(connection, deliveries, now)
            else:
                count = len(deliveries["user_id"]) if deliveries else 0
                written = append_new(connection, log.c.number, {**deliveries, "received": [now] * count})
            keep(connection, rejects, now)
            keep_set_aside(connection, set_aside, now)
            if offset is not None and start is not None:
                put_mark(connection, LAST_START, start)
                self._advance(connection, known, start, offset, catalog_version)
            if again:
                done = BatchCounts(done.number, seconds=done.seconds, state_bytes=done.state_bytes)
            pipelines.count(connection, known, done, written, now)
            pipelines.put_due(connection, due)
        return written

    def serve_again(
        self,
        deliveries: Iterable[Delivery],
        done: Sequence[int],
        pages: Sequence[StatePage] = (),
        expected_offset: int | None = None,
    ) -> int:
        """Write the deliveries of set-aside events. `done` are the numbers of their rows, which are marked as done. Returns the number of new deliveries.

        The progress does not change. Pages, if there are any, replace the whole delivery state as of
        `expected_offset`.
        """
        now = self._now()
        columns = _columns(list(deliveries), now, None)
        with self._database.writing() as connection:
            written = append_new(connection, log.c.number, columns)
            mark_served(connection, done, now)
            at, _ = _reached(connection)
            if expected_offset is not None and at != expected_offset:
                raise StoreError(_being_served(at, expected_offset))
            if pages:
                replace_pages(connection, pages)
            note(connection, now, AuditAction.SERVE_AGAIN, None, f"{len(done):,} rows, {written:,} deliveries")
        return written

    def _advance(self, connection: Connection, known: Pipeline, start: int, offset: int, catalog_version: int) -> None:
        at, at_version = _reached(connection)
        if start > at and not (known.last_batch < 0 and start == known.start_offset):
            raise StoreError(
                f"the checkpoint {known.place!r} goes on at offset {start}, but the deliveries of the store "
                f"{self._database.place!r} end at offset {at}: those between are missing, as if an older copy of the "
                f"store had been put in its place. Start with `--from-offset {at}` and a new checkpoint"
            )
        connection.execute(
            update(schema.progress).values(
                event_offset=max(at, offset), catalog_version=max(at_version, catalog_version)
            )
        )

    def _in_process(self, connection: Connection, shards: int, now: int) -> Pipeline:
        """The row of the in-process pipeline. Raises StoreError if another pipeline serves the store."""
        known = pipelines.present(connection)
        if known is not None and known.engine != IN_PROCESS and known.last_batch >= 0:
            raise StoreError(
                f"the store {self._database.place!r} is {_served_by(known)}; go on with that (rankcast run --engine spark), or "
                "bring its delivery state back with: rankcast state repartition"
            )
        if known is None or known.engine != IN_PROCESS:
            offset, version = _reached(connection)
            known = Pipeline(IN_PROCESS, IN_PROCESS, "", shards, offset, version, -1, now, None, *[0] * 7)
            pipelines.put(connection, known)
        return known

    def replace_state(self, pages: Sequence[StatePage], expected_offset: int) -> None:
        """Replace the whole delivery state as of the current progress, and forget which pipeline serves the store.

        The next pipeline continues with this state.
        """
        with self._database.writing() as connection:
            at, _ = _reached(connection)
            if at != expected_offset:
                raise StoreError(_being_served(at, expected_offset))
            replace_pages(connection, pages)
            connection.execute(delete(schema.pipeline))
            detail = f"{_shards(pages)} shards as of event {at:,}"
            note(connection, self._now(), AuditAction.REPLACE_STATE, None, detail)

    def progress(self) -> Progress:
        """How far the event log has been processed."""
        with self._database.reading() as connection:
            return Progress(*_reached(connection), shard_count(connection))

    def reached(self) -> int:
        """The offset up to which the event log has been processed."""
        with self._database.reading() as connection:
            return _reached(connection)[0]

    def deliveries(
        self, user: str | None = None, after: int = 0, limit: int | None = None
    ) -> Iterator[tuple[int, Delivery]]:
        """Deliveries after a number, of one user or of all, with their numbers, in commit order, up to the current end of the log."""
        return ((one.number, one.delivery) for one in self.stored_deliveries(user, after, limit))

    def stored_deliveries(
        self, user: str | None = None, after: int = 0, limit: int | None = None
    ) -> Iterator[StoredDelivery]:
        """Like `deliveries`, but each is decoded only when it is asked for."""
        queries = [select(log)]
        if user is not None:
            with self._database.reading() as connection:
                queries = block_by_block(connection, select(log), user, after)
        rows = chain.from_iterable(paged(self._database, query, log.c.number, after, limit) for query in queries)
        yield from map(StoredDelivery, islice(rows, limit))

    def delivery(self, user: str, event_id: str) -> Delivery | None:
        """The delivery of an event to a user; None if there is none."""
        query = select(log).where(log.c.event_id == event_id, log.c.user_id == user)
        return self._first(query, lambda row: StoredDelivery(row).delivery)

    def last_delivery(self) -> int:
        """The number of the last delivery; 0 if there is none."""
        with self._database.reading() as connection:
            return last_number(connection, log.c.number)

    def _check(self, connection: Connection, offset: int, catalog_version: int, expected_offset: int) -> None:
        at, at_version = _reached(connection)
        if at != expected_offset:
            raise StoreError(_another(at, expected_offset))
        last = last_number(connection, schema.events.c.event_offset)
        if not at <= offset <= last:
            raise StoreError(f"the progress cannot go from offset {at} to {offset}; the log ends at {last}")
        newest = newest_version(connection)
        if not at_version <= catalog_version <= newest:
            raise StoreError(
                f"the progress cannot go from catalog version {at_version} to {catalog_version}; the newest is {newest}"
            )


def _another(at: int, expected: int) -> str:
    return (
        f"the progress is at offset {at}, not {expected}: another process works off the same events; "
        "end one of the two, and start again from the progress"
    )


def _being_served(at: int, expected: int) -> str:
    return f"the progress is at offset {at}, not {expected}: somebody serves the store; stop that first"


def _shards(pages: Sequence[StatePage]) -> int:
    return len({page.mark.shard for page in pages}) or 1


def _reached(connection: Connection) -> tuple[int, int]:
    row = connection.execute(select(schema.progress.c.event_offset, schema.progress.c.catalog_version)).one()
    return row[0], row[1]


def _served_by(known: Pipeline | None) -> str:
    if known is None:
        return "served by nobody"
    return f"served by the pipeline with the checkpoint {known.place!r}" if known.place else "served in-process"


def _columns(deliveries: Sequence[Delivery], now: int, instants: Instants | None) -> Columns:
    count = len(deliveries)
    times = {time: microseconds(time) for one in deliveries for time in (one.published, one.forwarded)}
    return {
        "user_id": [one.user for one in deliveries],
        "event_id": [one.event for one in deliveries],
        "seq": [one.seq for one in deliveries],
        "rank": [one.rank for one in deliveries],
        "subscriptions": [dumps(one.subscriptions) for one in deliveries],
        "published": [times[one.published] for one in deliveries],
        "forwarded": [times[one.forwarded] for one in deliveries],
        "window_number": [one.window for one in deliveries],
        "served": [microseconds(instants.served) if instants else None] * count,
        "matched": [microseconds(instants.matched) if instants else None] * count,
        "received": [now] * count,
    }
