"""The event log: the published events in order, each event once."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import starmap
from typing import NamedTuple, TypeAlias

from sqlalchemy import Connection, func, select

from rankcast.errors import CatalogError, ModelError
from rankcast.model import Catalog, Event, Term
from rankcast.store.catalog.state import load_shared
from rankcast.store.schema import DatabaseRow, broker_self, catalog_versions, datetime_of, microseconds
from rankcast.store.schema import events as log
from rankcast.store.sql import Log, chunks, insert_rows, last_number, last_number_of, paged
from rankcast.store.texts import event_of, event_text

Refuse: TypeAlias = Callable[[Event, ModelError], None]
"""A callback that receives each event that cannot be logged, with the reason."""

_CHUNK = 500
_ENDS = select(last_number_of(catalog_versions.c.version), last_number_of(log.c.event_offset))
"""The ends of the catalog and of the log."""


class PublishReceipt(NamedTuple):
    """The acknowledgement of an event: it is on disk at `offset`. `duplicate` means that it was there before."""

    id: str
    offset: int
    duplicate: bool


GRACE = timedelta(seconds=1)
"""How long after the end of a period an event of that period may still arrive. Then the clock ends the period."""


class LoggedEvent(NamedTuple):
    """A logged event (`event.seq` is its offset), its catalog version, and when it was appended."""

    offset: int
    catalog_version: int
    event: Event
    logged: datetime

    @property
    def clock(self) -> datetime:
        """The time of arrival as delivery sees it. Periods end by this clock."""
        return self.logged - GRACE


class LogRow(NamedTuple):
    """An encoded event with the fields that a pipeline needs. `logged` is when it was appended, in microseconds."""

    offset: int
    catalog_version: int
    content: str
    logged: int
    id: str


class LoggedText(NamedTuple):
    """A logged event in its stored text form. `logged` is when it was appended.

    The text is not decoded, so an unreadable event causes no error here.
    """

    offset: int
    catalog_version: int
    content: str
    id: str
    published: datetime
    logged: datetime

    @property
    def clock(self) -> datetime:
        """The same as `LoggedEvent.clock`."""
        return self.logged - GRACE


class EventLog(Log):
    """The published events, numbered from 1 without gaps."""

    def publish(
        self, events: Iterable[Event], batch: int = 1000, refuse: Refuse | None = None, is_urgent: bool = False
    ) -> list[PublishReceipt]:
        """Append events to the log, in order, `batch` per transaction. Returns their acknowledgements.

        An event that is already in the log with the same content is not appended again, so it is safe to publish
        again after a crash. An event cannot be logged if its id is taken by other content or if it names an unknown
        concept. It is passed to `refuse`, and the others are logged. Without `refuse` the error is raised, and
        neither its batch nor the later ones are logged. Urgent events come before other writers of this process.
        """
        return list(self.publishing(events, batch, refuse, is_urgent))

    def publishing(
        self, events: Iterable[Event], batch: int = 1000, refuse: Refuse | None = None, is_urgent: bool = False
    ) -> Iterator[PublishReceipt]:
        """Like `publish`, but yields each acknowledgement as soon as its batch is on disk.

        The next batch starts when all acknowledgements of the last one have been consumed. Cost: O(log n) per event, and one disk flush per batch.
        """
        if batch < 1:
            raise ModelError(f"batch is {batch}; it must be at least 1")
        for chunk in chunks(iter(events), batch):
            refused: list[_Refused] = []
            texts = list(_texts(chunk, refused))
            with self._database.writing(is_urgent, holds_back=is_urgent) as connection:
                published = _append(connection, texts, refused, self._now())
                if refused and refuse is None:
                    raise refused[0].error
            yield from published
            if refuse is not None:
                for event, error in refused:
                    refuse(event, error)

    def events(self, after: int = 0, limit: int | None = None) -> Iterator[LoggedEvent]:
        """The events after an offset, in order, up to the current end of the log."""
        query = select(log.c.event_offset, log.c.catalog_version, log.c.content, log.c.logged)
        for row in paged(self._database, query, log.c.event_offset, after, limit):
            yield _logged(row)

    def event_texts(self, after: int, up_to: int, limit: int | None = None) -> Iterator[LoggedText]:
        """The stored texts after one offset up to another, in order; at most `limit`."""
        query = select(
            log.c.event_offset, log.c.catalog_version, log.c.content, log.c.id, log.c.published, log.c.logged
        ).where(log.c.event_offset <= up_to)
        for row in paged(self._database, query, log.c.event_offset, after, limit):
            published, logged = datetime_of(row.published), datetime_of(row.logged)
            yield LoggedText(row.event_offset, row.catalog_version, row.content, row.id, published, logged)

    def log_rows(self, after: int, up_to: int) -> list[LogRow]:
        """The rows after one offset up to another, in order, as one list for a micro-batch."""
        query = (
            select(log.c.event_offset, log.c.catalog_version, log.c.content, log.c.logged, log.c.id)
            .where(log.c.event_offset > after, log.c.event_offset <= up_to)
            .order_by(log.c.event_offset)
        )
        with self._database.reading() as connection:
            return list(starmap(LogRow, connection.execute(query)))

    def offset_before(self, time: datetime) -> int:
        """The offset before the first event published at or after a time; the last offset if there is none."""
        query = select(func.min(log.c.event_offset)).where(log.c.published >= microseconds(time))
        with self._database.reading() as connection:
            first = connection.execute(query).scalar_one()
            return last_number(connection, log.c.event_offset) if first is None else first - 1

    def time_at_end(self, offset: int) -> datetime | None:
        """The current time if no event follows an offset, else None. Events logged later get later times."""
        # A write transaction, so that no other process is about to log an event with an earlier time.
        with self._database.writing() as connection:
            return None if last_number(connection, log.c.event_offset) > offset else self._database.clock()

    def event(self, event_id: str) -> LoggedEvent | None:
        """The event with this id; None if there is none."""
        columns = (log.c.event_offset, log.c.catalog_version, log.c.content, log.c.logged)
        query = select(*columns).where(log.c.id == event_id)
        return self._first(query, _logged)

    def last_offset(self) -> int:
        """The offset of the last event; 0 if there is none."""
        with self._database.reading() as connection:
            return last_number(connection, log.c.event_offset)


def append_received(
    connection: Connection, events: Sequence[Event], refused: list[tuple[Event, ModelError]], now: int
) -> list[PublishReceipt]:
    """Append events that another broker has accepted, in the caller's transaction.

    Advertisements and k were checked there. An event is refused if it names a concept that is unknown here, or if its
    id is taken by other content.
    """
    unloggable: list[_Refused] = []
    receipts = _append(connection, list(_texts(events, unloggable)), unloggable, now, is_received=True)
    refused += [(event, error) for event, error in unloggable]
    return receipts


def _logged(row: DatabaseRow) -> LoggedEvent:
    event = event_of(row.content, row.event_offset)
    return LoggedEvent(row.event_offset, row.catalog_version, event, datetime_of(row.logged))


class _Refused(NamedTuple):
    event: Event
    error: ModelError


def _texts(events: Iterable[Event], refused: list[_Refused]) -> Iterator[tuple[Event, str]]:
    for event in events:
        try:
            yield event, event_text(event)
        except ModelError as error:
            refused.append(_Refused(event, error))


def _append(
    connection: Connection,
    texts: Sequence[tuple[Event, str]],
    refused: list[_Refused],
    now: int,
    is_received: bool = False,
) -> list[PublishReceipt]:
    known = _known(connection, [event.id for event, _ in texts])
    version, offset = connection.execute(_ENDS).one()
    shared = load_shared(connection) if any(_names_something(event) for event, _ in texts) else Catalog()
    published: list[PublishReceipt] = []
    rows: list[tuple[object, ...]] = []
    for event, text in texts:
        if event.id in known:
            old_offset, old_text = known[event.id]
            if _same(old_text, text):
                published.append(PublishReceipt(event.id, old_offset, duplicate=True))
            else:
                refused.append(_Refused(event, _taken(event.id, old_offset)))
            continue
        try:
            shared.check_event(event)
            if not is_received and event.advertisement is not None:
                from rankcast.overlay import check_publication  # slow to import, and seldom needed

                check_publication(shared, event)
                if not _is_crisp(event):
                    _refuse_at_broker(connection, event)
        except CatalogError as error:
            refused.append(_Refused(event, error))
            continue
        offset += 1
        known[event.id] = (offset, text)
        rows.append((offset, event.id, version, text, microseconds(event.time), now))
        published.append(PublishReceipt(event.id, offset, duplicate=False))
    if rows:
        insert_rows(connection, log, log.columns.keys(), rows)
    return published


def _known(connection: Connection, ids: Sequence[str]) -> dict[str, tuple[int, str]]:
    """The offset and the text of each id that is already in the log."""
    known: dict[str, tuple[int, str]] = {}
    for chunk in chunks(iter(ids), _CHUNK):
        rows = connection.execute(select(log.c.id, log.c.event_offset, log.c.content).where(log.c.id.in_(chunk)))
        known.update({row[0]: (row[1], row[2]) for row in rows})
    return known


def _taken(event_id: str, offset: int) -> CatalogError:
    return CatalogError(
        f"event {event_id!r} is in the log already, at offset {offset}, with other content; give this one another id"
    )


def _names_something(event: Event) -> bool:
    """Whether the catalog must be consulted to accept the event."""
    return event.advertisement is not None or any(isinstance(value, Term) for value in event.attributes.values())


def _is_crisp(event: Event) -> bool:
    return all(isinstance(value, tuple) for value in event.attributes.values())


def _refuse_at_broker(connection: Connection, event: Event) -> None:
    """Refuse the event if the store is that of a broker."""
    if connection.execute(select(broker_self.c.id)).first() is not None:
        raise CatalogError(
            f"event {event.id!r} has imprecise values; under an advertisement, brokers of a tree compare subscriptions by "
            "crisp ones"
        )


def _same(old: str, new: str) -> bool:
    """Whether two texts have the same content. The order of attributes does not matter."""
    return old == new or _sorted(old) == _sorted(new)


def _sorted(text: str) -> str:
    return json.dumps(json.loads(text), sort_keys=True)
