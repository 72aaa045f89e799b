"""The deliveries, and how far the event log has been worked off: committed together or not at all."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, select, update

from rankcast.errors import StoreError
from rankcast.language import dumps
from rankcast.model import Delivery
from rankcast.store import schema
from rankcast.store.catalog_log import newest_version
from rankcast.store.engine import Database
from rankcast.store.schema import datetime_of, microseconds
from rankcast.store.schema import deliveries as log
from rankcast.store.sql import append_new, last_number, paged, put_rows
from rankcast.store.texts import readable

__all__ = ["DeliveryLog", "Progress"]


class Progress(NamedTuple):
    """All events up to `offset` have been worked off, the last of them with that catalog version; `states` is
    what each shard remembers then."""

    offset: int
    catalog_version: int
    states: dict[int, bytes]


class DeliveryLog:
    """The deliveries in the order of their commits, and the progress they belong to."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def commit(
        self,
        deliveries: Iterable[Delivery],
        offset: int,
        catalog_version: int,
        states: Mapping[int, bytes],
        expected_offset: int,
    ) -> int:
        """Write deliveries, progress and states in one transaction; how many deliveries were new.

        A delivery of the same event to the same user is there already and is left as it is. The states given
        replace those of their shards; other shards keep theirs. Refused if the progress is no longer at
        `expected_offset`: then another process has worked the events off.
        """
        rows = [_row(delivery) for delivery in deliveries]
        with self._database.writing() as connection:
            self._check(connection, offset, catalog_version, expected_offset)
            written = append_new(connection, log.c.number, rows)
            connection.execute(update(schema.progress).values(event_offset=offset, catalog_version=catalog_version))
            shards = [{"shard": shard, "state": state} for shard, state in states.items()]
            put_rows(connection, schema.shard_states, shards, replace=["state"])
        return written

    def progress(self) -> Progress:
        """How far the event log has been worked off."""
        with self._database.reading() as connection:
            offset, catalog_version = _reached(connection)
            rows = connection.execute(select(schema.shard_states).order_by(schema.shard_states.c.shard))
            return Progress(offset, catalog_version, {row.shard: bytes(row.state) for row in rows})

    def deliveries(self, user: str | None, after: int, limit: int | None) -> Iterator[tuple[int, Delivery]]:
        """Deliveries with their numbers, in the order of their commits, after a number; ends where they end."""
        query = select(log)
        if user is not None:
            query = query.where(log.c.user_id == user)
        for row in paged(self._database, query, log.c.number, after, limit):
            with readable(f"delivery {row.number}"):
                delivery = _delivery(row)
            yield row.number, delivery

    def last_delivery(self) -> int:
        """The number of the last delivery; 0 if there is none."""
        with self._database.reading() as connection:
            return last_number(connection, log.c.number)

    def _check(self, connection: Connection, offset: int, catalog_version: int, expected_offset: int) -> None:
        at, at_version = _reached(connection)
        if at != expected_offset:
            raise StoreError(
                f"the progress is at offset {at}, not {expected_offset}: another process works off the same events; "
                "end one of the two, and start again from the progress"
            )
        last = last_number(connection, schema.events.c.event_offset)
        if not at <= offset <= last:
            raise StoreError(f"the progress cannot go from offset {at} to {offset}; the log ends at {last}")
        newest = newest_version(connection)
        if not at_version <= catalog_version <= newest:
            raise StoreError(
                f"the progress cannot go from catalog version {at_version} to {catalog_version}; the newest is {newest}"
            )


def _reached(connection: Connection) -> tuple[int, int]:
    row = connection.execute(select(schema.progress.c.event_offset, schema.progress.c.catalog_version)).one()
    return row[0], row[1]


def _delivery(row: Any) -> Delivery:
    return Delivery(
        user=row.user_id,
        event=row.event_id,
        seq=row.seq,
        rank=row.rank,
        subscriptions=tuple(json.loads(row.subscriptions)),
        published=datetime_of(row.published),
        forwarded=datetime_of(row.forwarded),
        window=row.window_number,
    )


def _row(delivery: Delivery) -> dict[str, object]:
    return {
        "user_id": delivery.user,
        "event_id": delivery.event,
        "seq": delivery.seq,
        "rank": delivery.rank,
        "subscriptions": dumps(delivery.subscriptions),
        "published": microseconds(delivery.published),
        "forwarded": microseconds(delivery.forwarded),
        "window_number": delivery.window,
    }
