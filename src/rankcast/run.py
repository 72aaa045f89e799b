"""Serving a store in this process: events from its log, through the shards, into its deliveries."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from rankcast.batch import BatchShard, shard_for
from rankcast.errors import StoreError
from rankcast.model import Catalog, Delivery
from rankcast.overlay import Admission
from rankcast.shard import Shard, shard_of
from rankcast.states import pack_states, unpack_states
from rankcast.store import SPARK, Instants, Logged, Store

__all__ = ["Batch", "Server", "rebuild", "repartition", "serve_pending"]

_FAR = 20_000
"""So many events behind, the kind of shard is chosen anew."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What one committed batch did: up to which offset, and how many deliveries were new."""

    offset: int
    events: int
    delivered: int


def serve_pending(store: Store, shards: int = 1, batch: int = 5_000, close: bool = False) -> Iterator[Batch]:
    """Serve all events that the store has logged since the last time, batch by batch, each committed at once.

    Deliveries, delivery state and the offset are one transaction, so that a crash at any point loses and repeats
    nothing. Each event is served under the catalog version that was current when it was published, so the
    deliveries do not depend on where the batches were cut. `close` ends unfinished periods, as a replay does.
    """
    return Server(store, shards, batch).serve(close)


class Server:
    """Serves a store again and again; the shards stay in memory in between, so that few events are served soon.

    Parameters
    ----------
    shards
        Among how many the users are divided; must be what it was before.
    batch
        How many events are committed together.
    expected
        How many events are to come at least, by which, by how many wait, and by the size of the catalog the kind of shard is chosen:
        at the start, and again when there are twice as many subscriptions or 20,000 events wait.
    """

    def __init__(self, store: Store, shards: int = 1, batch: int = 5_000, expected: int = 0) -> None:
        self._store = store
        self._count = shards
        self._batch = batch
        self._expected = expected
        self._shards: list[Shard | BatchShard] = []
        self._offset = -1
        self._version = 0
        self._chosen_for = 0
        """How many subscriptions there were when the kind of shard was chosen."""

    def serve(self, close: bool = False) -> Iterator[Batch]:
        """Serve what is pending, as `serve_pending` does."""
        store, clock = self._store, self._store.database.clock
        if not self._shards or store.progress().offset != self._offset:
            self._load()
        while True:
            if self._is_outgrown():
                self._choose(_states(self._shards))
            logged = list(store.events(after=self._offset, limit=self._batch))
            expected, served = self._offset, clock()
            # Whoever stops or fails from here on leaves shards that have seen what was not committed.
            shards, self._shards = self._shards, []
            deliveries = self._publish(shards, logged)
            last = len(logged) < self._batch
            if last and close:
                deliveries += [delivery for shard in shards for delivery in shard.close()]
            if not logged and not deliveries:
                self._shards = shards
                return
            reached = logged[-1].offset if logged else expected
            written = store.commit(
                sorted(deliveries, key=lambda delivery: delivery.order),
                offset=reached,
                catalog_version=self._version,
                states=_states(shards),
                expected_offset=expected,
                instants=Instants(served, clock()),
            )
            self._offset, self._shards = reached, shards
            yield Batch(reached, len(logged), written)
            if last:
                return

    def _load(self) -> None:
        known = self._store.pipeline()
        if known is not None and known.engine == SPARK and known.last_batch >= 0:
            raise StoreError(
                f"the store {self._store.database.place!r} is served by the pipeline with the checkpoint {known.place!r}; go on with "
                "that (rankcast run --engine spark), or bring its delivery state back with: rankcast state repartition"
            )
        progress = self._store.progress()
        if progress.states and len(progress.states) != self._count:
            raise StoreError(
                f"the delivery state of this store is in {len(progress.states)} shards, not {self._count}; run it with as many, or "
                f"change that with: rankcast state repartition --shards {self._count}"
            )
        self._offset, self._version = progress.offset, progress.catalog_version
        self._choose(progress.states)

    def _choose(self, states: Mapping[int, bytes]) -> None:
        """Make the shards that suit what is to be done, with their states."""
        pending = max(self._expected, self._store.last_offset() - self._offset)
        catalog = self._store.catalog(self._version)
        self._chosen_for = len(catalog.subscriptions)
        self._shards = _made(catalog, self._count, pending)
        for number, state in states.items():
            self._shards[number].restore(state)

    def _is_outgrown(self) -> bool:
        """Whether shards that are made for little have much to do now."""
        if isinstance(self._shards[0], BatchShard):
            return False
        subscriptions = len(self._store.catalog(self._version).subscriptions)
        return subscriptions > 2 * self._chosen_for or self._store.last_offset() - self._offset >= _FAR

    def _publish(self, shards: Sequence[Shard | BatchShard], logged: list[Logged]) -> list[Delivery]:
        deliveries: list[Delivery] = []
        for version, group in groupby(logged, key=lambda entry: entry.catalog_version):
            catalog = self._store.catalog(version)
            if version != self._version:
                self._version = version
                deliveries += [delivery for shard in shards for delivery in shard.update(catalog)]
            deliveries += _publish(shards, catalog, list(group))
        return deliveries


def repartition(store: Store, shards: int) -> int:
    """Divide the delivery state that is in the store among another number of shards; how many it was in.

    The deliveries do not depend on the number: users keep what they have.
    """
    progress = store.progress()
    users: dict[str, object] = {}
    for state in progress.states.values():
        users |= unpack_states(state)
    store.put_states(divided(users, shards), progress.offset)
    return len(progress.states)


def divided(users: dict[str, object], shards: int) -> dict[int, bytes]:
    """The states of users as states of shards."""
    parts: list[dict[str, object]] = [{} for _ in range(shards)]
    for user, state in users.items():
        parts[shard_of(user, shards)][user] = state
    return {number: pack_states(part) for number, part in enumerate(parts)}


def rebuild(store: Store, shards: int, batch: int = 5_000) -> Iterator[int]:
    """Make the delivery state anew by serving the log again up to the progress, without delivering; the offsets reached.

    For a store whose pipeline has lost its checkpoint. Afterwards any pipeline goes on from there.
    """
    progress, known = store.progress(), store.pipeline()
    offset = known.start_offset if known is not None and known.start_version < 0 else 0
    first = next((logged.offset for logged in store.events(after=offset, limit=1)), progress.offset + 1)
    if offset < progress.offset and first > offset + 1:
        raise StoreError(
            f"the events up to offset {first - 1} were pruned, so the delivery state cannot be made anew out of the log; start a new "
            f"pipeline with --from-offset {progress.offset}, which serves what comes next with no state"
        )
    version, served = -1, list[Shard | BatchShard]()
    while offset < progress.offset:
        logged = list(store.events(after=offset, limit=min(batch, progress.offset - offset)))
        for of_version, group in groupby(logged, key=lambda entry: entry.catalog_version):
            catalog = store.catalog(of_version)
            if not served:
                served = _made(catalog, shards, progress.offset - offset)
            elif of_version != version:
                for shard in served:
                    shard.update(catalog)
            version = of_version
            _publish(served, catalog, list(group))
        offset = logged[-1].offset
        yield offset
    store.put_states(_states(served), progress.offset)


def _states(shards: Sequence[Shard | BatchShard]) -> dict[int, bytes]:
    return {number: shard.state() for number, shard in enumerate(shards)}


def _made(catalog: Catalog, shards: int, events: int) -> list[Shard | BatchShard]:
    return [shard_for(events, catalog, _lives_in(number, shards)) for number in range(shards)]


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
