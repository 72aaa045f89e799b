"""Serving set-aside events again after a fix, by replaying the log for the users concerned."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rankcast.engine.arrays import BatchShard
from rankcast.engine.choice import shard_for
from rankcast.engine.reference.shard import Shard
from rankcast.errors import StoreError
from rankcast.model import Catalog, Delivery, SetAside
from rankcast.overlay import Admission, Finder
from rankcast.pipeline.saved_state import Position, pages_of, restore
from rankcast.pipeline.serving import ReadEvent, make_shards, read_events, recipients_of
from rankcast.store import SPARK, KeptSetAside, StatePage, Store
from rankcast.store.store_lock import StoreLock

_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class ServedAgain:
    """The result: the numbers of completed rows, of rows that failed again, and of new deliveries.

    It also says whether the users who were set aside are served again from here on. If not, a pipeline serves the
    store, and they continue when one of their records changes.
    """

    done: int
    failed: int
    delivered: int
    goes_on: bool


def serve_again(store: Store, user: str | None = None) -> ServedAgain:
    """Serve the set-aside events of one user, or of all, again.

    The whole log up to the progress is replayed for these users alone, each event with the catalog at its
    publication. Deliveries of set-aside events are appended if they are not in the log yet. If no pipeline serves the
    store, the state of these users becomes what it would be without the failures. Cost: a replay of the log for these
    users.
    """
    rows = [row for row in store.set_aside(user) if row.seq <= store.progress().offset]
    if not rows:
        return ServedAgain(0, 0, 0, goes_on=True)
    users = None if any(row.user is None for row in rows) else {row.user for row in rows if row.user is not None}
    lock = StoreLock(store)
    known = store.pipeline()
    is_alone = known is None or known.engine != SPARK
    try:
        if is_alone:
            lock.take()
    except StoreError:
        is_alone = False
    try:
        return _serve(store, rows, users, is_alone)
    finally:
        lock.give_back()


def _serve(store: Store, rows: Sequence[KeptSetAside], users: set[str] | None, is_alone: bool) -> ServedAgain:
    progress = store.progress()
    again = _Again(rows)
    shard: Shard | BatchShard | None = None
    version = -1
    for entries in _groups(store, progress.offset):
        if entries[0].catalog_version != version or shard is None:
            version, catalog = entries[0].catalog_version, store.catalog(entries[0].catalog_version)
            if shard is None:
                shard = shard_for(progress.offset, catalog, lambda one: users is None or one in users)
            else:
                again.take(shard.update(catalog), shard.take_set_aside(version))
            chooser = Admission(catalog), Finder(list(catalog.subscriptions.values()), catalog)
        again.serve(shard, catalog, entries, chooser)
    failed = [row for row in rows if again.has_failed(row)]
    done = [row.number for row in rows if not again.has_failed(row)]
    pages = _pages(store, shard) if is_alone and shard is not None and done else []
    delivered = store.serve_again(
        sorted(again.deliveries, key=lambda delivery: delivery.order),
        done,
        pages=pages,
        expected_offset=progress.offset if pages else None,
    )
    return ServedAgain(len(done), len(failed), delivered, goes_on=is_alone)


class _Again:
    """The results of a replay for set-aside rows."""

    def __init__(self, rows: Sequence[KeptSetAside]) -> None:
        self._events = {(row.user, row.event) for row in rows if row.event is not None}
        self._since = {row.user: row.seq for row in reversed(rows) if row.event is None}
        self.deliveries: list[Delivery] = []
        self._failed: set[tuple[str | None, str | None]] = set()

    def serve(
        self,
        shard: Shard | BatchShard,
        catalog: Catalog,
        entries: Sequence[ReadEvent],
        chooser: tuple[Admission, Finder],
    ) -> None:
        """Serve events of one catalog version."""
        admission, finder = chooser
        readable = [(entry.event, entry.clock) for entry in entries if entry.event is not None]
        self._failed |= {(None, entry.id) for entry in entries if entry.event is None}
        admitted = recipients_of(entries)
        for event, _ in readable:
            if event.advertisement is not None and event.id not in admitted:
                try:
                    found = admission.admitted(event, finder.match(event))
                except Exception:
                    self._failed.add((None, event.id))
                    found = []
                admitted[event.id] = {one.id for one, _ in found}
        events, clocks = [event for event, _ in readable], [clock for _, clock in readable]
        self.take(shard.publish(events, admitted, clocks), shard.take_set_aside())

    def take(self, deliveries: Sequence[Delivery], rows: Sequence[SetAside]) -> None:
        """Keep the deliveries that had been set aside, and record the failures."""
        self._failed |= {(row.user, row.event) for row in rows}
        self.deliveries += [one for one in deliveries if self._was_set_aside(one)]

    def has_failed(self, row: SetAside) -> bool:
        """Whether a row failed again."""
        return not {(row.user, row.event), (None, row.event), (row.user, None)}.isdisjoint(self._failed)

    def _was_set_aside(self, one: Delivery) -> bool:
        if (one.user, one.event) in self._events or (None, one.event) in self._events:
            return True
        return one.user in self._since and one.seq >= self._since[one.user]


def _groups(store: Store, up_to: int) -> Iterator[list[ReadEvent]]:
    """The log up to an offset, in groups that share a catalog version. Pruned events are skipped."""
    offset = 0
    while offset < up_to:
        entries = read_events(store, offset, min(_BATCH, up_to - offset))
        if not entries:
            offset += _BATCH
            continue
        for _, group in groupby(entries, key=lambda entry: entry.catalog_version):
            yield list(group)
        offset = entries[-1].offset


def _pages(store: Store, again: Shard | BatchShard) -> list[StatePage]:
    """The whole delivery state, updated with the users who were served again."""
    saved = store.saved_state()
    shards = restore(store, saved, lambda catalog: make_shards(catalog, saved.shards or 1, saved.lag))
    for shard in shards:
        shard.restore_states(again.states(again.users))
    return pages_of(shards, Position(saved.offset, saved.catalog_version, 0))
