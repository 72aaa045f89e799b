"""Serving a store: events from its log, through the shards, into its deliveries."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rankcast.batch import BatchShard, shard_for
from rankcast.errors import StoreError
from rankcast.model import Catalog, Delivery
from rankcast.overlay import Admission
from rankcast.shard import Shard, shard_of
from rankcast.store import Logged, Store

__all__ = ["Batch", "Serving", "serve_pending"]


@dataclass(frozen=True, slots=True)
class Batch:
    """What one committed batch did: up to which offset, and how many deliveries were new."""

    offset: int
    events: int
    delivered: int


class Serving:
    """A store being served: its shards stay in memory from one call of `pending` to the next.

    After an error the shards may be ahead of the store: go on with a new one, which starts from what was committed.
    `expected` is how many events are waiting, by which the kind of shard is chosen; by default, as many as there are.
    """

    def __init__(self, store: Store, shards: int = 1, expected: int | None = None) -> None:
        progress = store.progress()
        if progress.states and len(progress.states) != shards:
            raise StoreError(
                f"the delivery state of this store is in {len(progress.states)} shards, not {shards}; run it with as many"
            )
        self._store = store
        self._offset, self._version = progress.offset, progress.catalog_version
        self._catalog = store.catalog(progress.catalog_version)
        pending = store.last_offset() - progress.offset if expected is None else expected
        self._shards = [shard_for(pending, self._catalog, _lives_in(number, shards)) for number in range(shards)]
        for number, state in progress.states.items():
            self._shards[number].restore(state)

    def pending(self, batch: int = 5_000, close: bool = False) -> Iterator[Batch]:
        """Serve all events logged since the last time, batch by batch, each committed at once; see `serve_pending`."""
        while True:
            logged = list(self._store.events(after=self._offset, limit=batch))
            deliveries: list[Delivery] = []
            for of_version, group in groupby(logged, key=lambda entry: entry.catalog_version):
                if of_version != self._version:
                    self._version, self._catalog = of_version, self._store.catalog(of_version)
                    deliveries += [delivery for shard in self._shards for delivery in shard.update(self._catalog)]
                deliveries += _publish(self._shards, self._catalog, list(group))
            last = len(logged) < batch
            if last and close:
                deliveries += [delivery for shard in self._shards for delivery in shard.close()]
            if not logged and not deliveries:
                return
            reached = logged[-1].offset if logged else self._offset
            written = self._store.commit(
                sorted(deliveries, key=lambda delivery: delivery.order),
                offset=reached,
                catalog_version=self._version,
                states={number: shard.state() for number, shard in enumerate(self._shards)},
                expected_offset=self._offset,
            )
            self._offset = reached
            yield Batch(self._offset, len(logged), written)
            if last:
                return


def serve_pending(store: Store, shards: int = 1, batch: int = 5_000, close: bool = False) -> Iterator[Batch]:
    """Serve all events that the store has logged since the last time, batch by batch, each committed at once.

    Deliveries, delivery state and the offset are one transaction, so that a crash at any point loses and repeats
    nothing. Each event is served under the catalog version that was current when it was published, so the
    deliveries do not depend on where the batches were cut. `close` ends unfinished periods, as a replay does.
    """
    yield from Serving(store, shards).pending(batch, close)


def _publish(served: Sequence[Shard | BatchShard], catalog: Catalog, logged: list[Logged]) -> list[Delivery]:
    events = [entry.event for entry in logged]
    admission = Admission(catalog)
    admitted: dict[str, set[str]] = {}
    for event in (event for event in events if event.advertisement is not None):
        found = [match for shard in served for match in shard.match(event)]
        pairs = [(catalog.subscriptions[match.subscription], match.degree) for match in found]
        admitted[event.id] = {subscription.id for subscription, _ in admission.admitted(event, pairs)}
    return [delivery for shard in served for delivery in shard.publish(events, admitted)]


def _lives_in(number: int, shards: int) -> Callable[[str], bool]:
    return lambda user: shard_of(user, shards) == number
