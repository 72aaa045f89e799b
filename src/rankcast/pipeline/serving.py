"""Events of the log, as the shards in this process serve them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from rankcast.engine.arrays import BatchShard
from rankcast.engine.arrays.matching import Matching
from rankcast.engine.choice import shard_for
from rankcast.engine.isolation import reason
from rankcast.engine.reference.shard import Shard, shard_of
from rankcast.model import Catalog, Delivery, Event, SetAside
from rankcast.overlay import Admission
from rankcast.store import BrokerLog, Store
from rankcast.store.texts import event_of


@dataclass(frozen=True, slots=True)
class ReadEvent:
    """An event of the log. If it cannot be read, `event` is None and `error` gives the reason."""

    offset: int
    catalog_version: int
    id: str
    clock: datetime
    event: Event | None
    error: str = ""
    recipients: frozenset[str] | None = None
    """The subscriptions that brokers chose, if the store is that of a broker and the event is under an advertisement."""


def read_events(store: Store, after: int, limit: int) -> list[ReadEvent]:
    """The next events of the log. An unreadable event, such as one of an older release, does not hide the others.

    In the store of a broker, events wait until the broker has chosen the recipients of an event under an advertisement.
    """
    read: list[ReadEvent] = []
    for row in store.event_texts(after, after + limit):
        event, error = None, ""
        try:
            event = event_of(row.content, row.offset)
        except Exception as problem:
            error = reason(problem)
        read.append(ReadEvent(row.offset, row.catalog_version, row.id, row.clock, event, error))
    advertised = [entry.offset for entry in read if entry.event is not None and entry.event.advertisement is not None]
    return read if not advertised else _with_recipients(BrokerLog(store.database), read, advertised)


def _with_recipients(brokers: BrokerLog, read: list[ReadEvent], advertised: list[int]) -> list[ReadEvent]:
    broker = brokers.self()
    if broker is None:
        return read
    chosen = brokers.chosen(advertised)
    waiting = min((offset for offset in advertised if offset not in chosen and offset > broker.since), default=None)
    return [
        replace(entry, recipients=chosen.get(entry.offset))
        for entry in read
        if waiting is None or entry.offset < waiting
    ]


def make_shards(
    catalog: Catalog, shards: int, events: int, matching: Callable[[], Matching | None] = lambda: None
) -> list[Shard | BatchShard]:
    """Shards that share the users of a catalog and suit a number of events. `matching` makes what each matches with."""
    return [shard_for(events, catalog, _lives_in(number, shards), True, matching()) for number in range(shards)]


def publish_to(
    served: Sequence[Shard | BatchShard], catalog: Catalog, entries: Sequence[ReadEvent]
) -> tuple[list[Delivery], list[SetAside]]:
    """Serve events of the log that share a catalog version.

    Returns the deliveries, and the events that could not be read or admitted.
    """
    version = entries[0].catalog_version
    aside = [SetAside(None, entry.id, entry.offset, version, entry.error) for entry in entries if entry.event is None]
    events = [entry.event for entry in entries if entry.event is not None]
    clocks = [entry.clock for entry in entries if entry.event is not None]
    admission = Admission(catalog)
    admitted = recipients_of(entries)
    for event in (event for event in events if event.advertisement is not None and event.id not in admitted):
        found = [match for shard in served for match in shard.match(event)]
        pairs = [(catalog.subscriptions[match.subscription], match.degree) for match in found]
        try:
            admitted[event.id] = {subscription.id for subscription, _ in admission.admitted(event, pairs)}
        except Exception as error:
            admitted[event.id] = set()
            aside.append(SetAside(None, event.id, event.seq, version, reason(error)))
    return [delivery for shard in served for delivery in shard.publish(events, admitted, clocks)], aside


def recipients_of(entries: Iterable[ReadEvent]) -> dict[str, set[str]]:
    """The recipients that brokers chose, by event."""
    return {entry.id: set(entry.recipients) for entry in entries if entry.recipients is not None}


def _lives_in(number: int, shards: int) -> Callable[[str], bool]:
    return lambda user: shard_of(user, shards) == number
