"""Serving a store in this process: events from its log go through the shards into its deliveries."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from time import monotonic
from typing import NamedTuple

from rankcast.engine.arrays import BatchShard
from rankcast.engine.choice import FAR_BEHIND, shard_for
from rankcast.engine.isolation import reason
from rankcast.engine.reference.shard import Shard, shard_of
from rankcast.engine.states import pack_states, unpack_states
from rankcast.errors import Overtaken, StoreError
from rankcast.model import Catalog, Delivery, Event, SetAside
from rankcast.overlay import Admission
from rankcast.store import SPARK, Instants, Store
from rankcast.store.event_log import GRACE
from rankcast.store.texts import event_of

__all__ = [
    "GRACE",
    "CommittedBatch",
    "LocalPipeline",
    "ReadEvent",
    "publish_to",
    "read_events",
    "rebuild",
    "repartition",
    "serve_pending",
]

_log = logging.getLogger("rankcast.pipeline")

_FIRST_PART = 16
_PARTS = 3
"""Number of parts into which a time slice is divided. The clock is checked after each part."""


@dataclass(frozen=True, slots=True)
class CommittedBatch:
    """One committed batch: the offset it reached, the number of new deliveries, and the number of set-aside rows.

    `seconds` is the time for reading and serving the events. `change_seconds` is the time for applying catalog
    changes up to `version`. Neither includes the commit.
    """

    offset: int
    events: int
    delivered: int
    set_aside: int = 0
    seconds: float = field(default=0.0, compare=False)
    version: int = 0
    change_seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class ReadEvent:
    """An event of the log. If it cannot be read, `event` is None and `error` gives the reason."""

    offset: int
    catalog_version: int
    id: str
    clock: datetime
    event: Event | None
    error: str = ""


class _ServedSlice(NamedTuple):
    """The results to be committed together. `is_last` means that the log has no further events."""

    shards: list[Shard | BatchShard]
    logged: list[ReadEvent]
    deliveries: list[Delivery]
    is_last: bool


def read_events(store: Store, after: int, limit: int) -> list[ReadEvent]:
    """The next events of the log. An unreadable event, such as one of an older release, does not hide the others."""
    read: list[ReadEvent] = []
    for row in store.event_texts(after, after + limit):
        event, error = None, ""
        try:
            event = event_of(row.content, row.offset)
        except Exception as problem:
            error = reason(problem)
        read.append(ReadEvent(row.offset, row.catalog_version, row.id, row.clock, event, error))
    return read


def serve_pending(store: Store, shards: int = 1, batch: int = 5_000, close: bool = False) -> Iterator[CommittedBatch]:
    """Serve all events logged since the last run, in batches. Each batch is committed before the next.

    Deliveries, delivery state and the offset are written in one transaction, so a crash at any point neither loses
    nor repeats anything. Each event is served with the catalog version that was current at its publication, so the
    deliveries do not depend on the batch boundaries. `close` ends unfinished periods, as a replay does.
    """
    return LocalPipeline(store, shards, batch).serve(close)


class LocalPipeline:
    """Serves a store repeatedly. The shards stay in memory between calls, so that a few events are served quickly.

    Parameters
    ----------
    shards
        The number of shards that share the users. It must not change between runs.
    batch
        The number of events that are committed together.
    expected
        The minimum number of events to expect. This number, the backlog and the size of the catalog determine the
        kind of shard. The choice is made at the start, and again when the number of subscriptions has doubled or
        20,000 events are waiting.
    slice_seconds
        The number of seconds of serving after which a batch is committed, even if it has fewer events than `batch`.
        It can be exceeded by the time for one event. If a commit takes longer, the slice grows with it, because at
        least half of the time is for serving.
    """

    def __init__(
        self,
        store: Store,
        shards: int = 1,
        batch: int = 5_000,
        expected: int = 0,
        slice_seconds: float = float("inf"),
    ) -> None:
        self._store = store
        self._count = shards
        self._batch = batch
        self._expected = expected
        self._slice_seconds = slice_seconds
        self._part = batch if slice_seconds == float("inf") else min(batch, _FIRST_PART)
        """The number of events to serve before the clock is checked."""
        self._commit_seconds = 0.0
        self._serving_seconds = self._change_seconds = 0.0
        self._shards: list[Shard | BatchShard] = []
        self._offset = -1
        self._version = 0
        self._chosen_for = 0
        """The number of subscriptions when the kind of shard was chosen."""
        self._aside: list[SetAside] = []

    def load(self) -> None:
        """Load the shards, so that `due` is known before anything is published."""
        if not self._shards or self._store.progress().offset != self._offset:
            self._load()

    def serve(self, close: bool = False) -> Iterator[CommittedBatch]:
        """Serve the pending events, as `serve_pending` does."""
        store, clock = self._store, self._store.database.clock
        self.load()
        while True:
            if self._is_outgrown():
                self._choose(_states(self._shards))
            expected, served = self._offset, clock()
            served_slice = self._serve_slice(close)
            shards, logged, deliveries = served_slice.shards, served_slice.logged, served_slice.deliveries
            if not logged and not deliveries and not self._aside:
                self._shards = shards
                return
            begun = monotonic()
            reached = logged[-1].offset if logged else expected
            states = _states(shards)
            self._take(shards, reached)
            written = store.commit(
                sorted(deliveries, key=lambda delivery: delivery.order),
                offset=reached,
                catalog_version=self._version,
                states=states,
                expected_offset=expected,
                instants=Instants(served, clock()),
                set_aside=self._aside,
            )
            self._commit_seconds = monotonic() - begun
            self._offset, self._shards = reached, shards
            told, took = self._told(), (self._serving_seconds, self._change_seconds)
            yield CommittedBatch(reached, len(logged), written, told, took[0], self._version, took[1])
            if served_slice.is_last:
                return

    @property
    def is_over_arrays(self) -> bool:
        """Whether the shards use the array engine, once they are loaded."""
        return any(isinstance(shard, BatchShard) for shard in self._shards)

    @property
    def due(self) -> datetime | None:
        """When the clock ends the next period with pending candidates, which `advance` then delivers; None if there
        is none."""
        found = [due for shard in self._shards if (due := shard.due) is not None]
        return min(found) + GRACE if found else None

    def advance(self) -> CommittedBatch | None:
        """End the periods that are over by the clock of the store, if no event is pending.

        Returns None if nothing was due. An event logged afterwards arrived after the end of its period. A replay of
        the log treats it the same way, because the log says when each event was logged, and that time ends the
        periods.
        """
        due, now = self.due, self._store.database.clock()
        if due is None or now < due:
            return None
        shards, self._shards = self._shards, []
        deliveries = [delivery for shard in shards for delivery in shard.advance(now - GRACE)]
        self._take(shards, self._offset + 1)
        states = _states(shards)
        try:
            written = self._store.commit(
                sorted(deliveries, key=lambda delivery: delivery.order),
                offset=self._offset,
                catalog_version=self._version,
                states=states,
                expected_offset=self._offset,
                instants=Instants(now, self._store.database.clock()),
                set_aside=self._aside,
                at_end=True,
            )
        except Overtaken:  # the shards are loaded again in their earlier state
            self._aside = []
            return None
        self._shards = shards
        return CommittedBatch(self._offset, 0, written, self._told(), version=self._version)

    def _serve_slice(self, close: bool) -> "_ServedSlice":
        """Serve the events of one commit.

        If the array engine fails, the reference engine serves them from the stored state.
        """
        # After a failure from here on, the shards would contain uncommitted events, so they are dropped.
        shards, self._shards = self._shards, []
        until = monotonic() + max(self._slice_seconds, self._commit_seconds)
        logged: list[ReadEvent] = []
        deliveries: list[Delivery] = []
        self._serving_seconds = self._change_seconds = 0.0
        while True:
            wanted = min(self._part, self._batch - len(logged))
            before, begun = self._serving_seconds, monotonic()
            part = read_events(self._store, logged[-1].offset if logged else self._offset, wanted)
            self._serving_seconds += monotonic() - begun
            is_last = len(part) < wanted
            logged += part
            try:
                deliveries += self._publish(shards, part, is_last and close)
            except StoreError:
                raise
            except Exception as error:
                if not any(isinstance(shard, BatchShard) for shard in shards):
                    raise
                _log.warning("the array engine failed, the reference engine serves the batch: %s", reason(error))
                self._load(plain=True)
                shards, self._shards = self._shards, []
                deliveries = self._publish(shards, logged, is_last and close)
                self._chosen_for = 0  # the next batch may choose the array engine again
                return _ServedSlice(shards, logged, deliveries, is_last)
            if not is_last:
                self._part = self._next_part(len(part), self._serving_seconds - before)
            if is_last or len(logged) >= self._batch or monotonic() >= until:
                return _ServedSlice(shards, logged, deliveries, is_last)

    def _next_part(self, events: int, seconds: float) -> int:
        """The number of events to serve before the next check of the clock, given the duration of the last part."""
        fitting = self._slice_seconds / _PARTS / max(seconds, 1e-6) * events
        return max(1, min(round(min(fitting, 2.0 * events)), self._batch))

    def _take(self, shards: Sequence[Shard | BatchShard], seq: int) -> None:
        """Collect what the shards have set aside. `seq` is the position of the current event."""
        for shard in shards:
            self._aside += [row if row.seq else replace(row, seq=seq) for row in shard.take_set_aside(self._version)]

    def _told(self) -> int:
        """Log the set-aside rows after they were committed. Returns their number."""
        for row in self._aside:
            _log.warning(
                "set aside: user %r, event %r at %d, catalog version %d: %s",
                row.user,
                row.event,
                row.seq,
                row.version,
                row.error,
            )
        count, self._aside = len(self._aside), []
        return count

    def _load(self, plain: bool = False) -> None:
        known = self._store.pipeline()
        if known is not None and known.engine == SPARK and known.last_batch >= 0:
            raise StoreError(
                f"the store {self._store.database.place!r} is served by the pipeline with the checkpoint {known.place!r}; go on with "
                "that (rankcast run --engine spark), or bring its delivery state back with: rankcast state repartition"
            )
        self._aside = []
        progress = self._store.progress()
        if progress.states and len(progress.states) != self._count:
            raise StoreError(
                f"the delivery state of this store is in {len(progress.states)} shards, not {self._count}; run it with as many, or "
                f"change that with: rankcast state repartition --shards {self._count}"
            )
        self._offset, self._version = progress.offset, progress.catalog_version
        self._choose(progress.states, plain)

    def _choose(self, states: Mapping[int, bytes], plain: bool = False) -> None:
        """Create shards that suit the amount of work, or plain ones, and restore their states."""
        pending = max(self._expected, self._store.last_offset() - self._offset)
        catalog = self._store.catalog(self._version)
        self._chosen_for = len(catalog.subscriptions)
        self._shards = _made(catalog, self._count, 0 if plain else pending)
        for number, state in states.items():
            self._shards[number].restore(state)
        self._take(self._shards, self._offset + 1)

    def _is_outgrown(self) -> bool:
        """Whether shards chosen for a small job now have a large one."""
        if isinstance(self._shards[0], BatchShard):
            return False
        subscriptions = len(self._store.catalog(self._version).subscriptions)
        return subscriptions > 2 * self._chosen_for or self._store.last_offset() - self._offset >= FAR_BEHIND

    def _publish(self, shards: Sequence[Shard | BatchShard], logged: list[ReadEvent], close: bool) -> list[Delivery]:
        deliveries: list[Delivery] = []
        for version, group in groupby(logged, key=lambda entry: entry.catalog_version):
            begun = monotonic()
            catalog, entries = self._store.catalog(version), list(group)
            if version != self._version:
                self._version = version
                deliveries += [delivery for shard in shards for delivery in shard.update(catalog)]
                self._take(shards, entries[0].offset)
                self._change_seconds += monotonic() - begun
            begun = monotonic()
            made, aside = publish_to(shards, catalog, entries)
            self._serving_seconds += monotonic() - begun
            deliveries += made
            self._aside += aside
            self._take(shards, entries[-1].offset)
        if close:
            deliveries += [delivery for shard in shards for delivery in shard.close()]
            self._take(shards, logged[-1].offset if logged else self._offset)
        return deliveries


def repartition(store: Store, shards: int) -> int:
    """Redistribute the delivery state in the store to another number of shards. Returns the old number.

    The deliveries do not depend on the number: every user keeps their state.
    """
    progress = store.progress()
    users: dict[str, object] = {}
    for state in progress.states.values():
        users |= unpack_states(state)
    store.put_states(divided(users, shards), progress.offset)
    return len(progress.states)


def divided(users: dict[str, object], shards: int) -> dict[int, bytes]:
    """Group the states of users into states of shards."""
    parts: list[dict[str, object]] = [{} for _ in range(shards)]
    for user, state in users.items():
        parts[shard_of(user, shards)][user] = state
    return {number: pack_states(part) for number, part in enumerate(parts)}


def rebuild(store: Store, shards: int, batch: int = 5_000) -> Iterator[int]:
    """Rebuild the delivery state by replaying the log up to the progress, without delivering again.

    Yields the offsets reached. Use it for a store with a lost checkpoint. Afterwards any pipeline can continue from
    there.
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
        logged = read_events(store, offset, min(batch, progress.offset - offset))
        for of_version, group in groupby(logged, key=lambda entry: entry.catalog_version):
            catalog = store.catalog(of_version)
            if not served:
                served = _made(catalog, shards, progress.offset - offset)
            elif of_version != version:
                for shard in served:
                    shard.update(catalog)
            version = of_version
            publish_to(served, catalog, list(group))
        offset = logged[-1].offset
        yield offset
    store.put_states(_states(served), progress.offset)


def _states(shards: Sequence[Shard | BatchShard]) -> dict[int, bytes]:
    return {number: shard.state() for number, shard in enumerate(shards)}


def _made(catalog: Catalog, shards: int, events: int) -> list[Shard | BatchShard]:
    return [shard_for(events, catalog, _lives_in(number, shards)) for number in range(shards)]


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
    admitted: dict[str, set[str]] = {}
    for event in (event for event in events if event.advertisement is not None):
        found = [match for shard in served for match in shard.match(event)]
        pairs = [(catalog.subscriptions[match.subscription], match.degree) for match in found]
        try:
            admitted[event.id] = {subscription.id for subscription, _ in admission.admitted(event, pairs)}
        except Exception as error:
            admitted[event.id] = set()
            aside.append(SetAside(None, event.id, event.seq, version, reason(error)))
    return [delivery for shard in served for delivery in shard.publish(events, admitted, clocks)], aside


def _lives_in(number: int, shards: int) -> Callable[[str], bool]:
    return lambda user: shard_of(user, shards) == number
