"""Serving a store in this process: events from its log go through the shards into its deliveries."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import groupby
from time import monotonic, thread_time
from typing import NamedTuple

from rankcast.engine.arrays import BatchShard
from rankcast.engine.arrays.matching import IndexMatching
from rankcast.engine.choice import FAR_BEHIND, FEW_EVENTS, is_small
from rankcast.engine.isolation import reason
from rankcast.engine.reference.shard import Shard
from rankcast.engine.states import unpack_states
from rankcast.errors import StoreError
from rankcast.model import EPOCH, Catalog, Delivery, Event, SetAside
from rankcast.pipeline.looking_ahead import LookAhead
from rankcast.pipeline.saved_catalog import SavedCatalog
from rankcast.pipeline.saved_catalog import read as read_catalog
from rankcast.pipeline.saved_state import PageWriter, Position, restore
from rankcast.pipeline.serving import ReadEvent, make_shards, publish_to, read_events
from rankcast.store import SPARK, ClockAdvance, Instants, Store
from rankcast.store.event_log import GRACE

__all__ = ["GRACE", "CommittedBatch", "LocalPipeline", "serve_pending"]

_log = logging.getLogger("rankcast.pipeline")

_IDLE_BUDGET = 0.01
_SAVE_BUDGET = 0.2
"""Seconds for the pages that are saved together: while nothing is pending, and at the end."""
_FIRST_PART = 16
_PARTS = 3
"""Number of parts into which a time slice is divided. The clock is checked after each part."""


@dataclass(frozen=True, slots=True)
class CommittedBatch:
    """One committed batch: the offset it reached, the number of new deliveries, and the number of set-aside rows.

    `seconds` is the processor time for reading and serving the events. `change_seconds` is the processor time for
    applying catalog changes up to `version`. Neither includes the commit. What other processes do at the same time
    does not count, because publishers and users are charged by these figures.
    """

    offset: int
    events: int
    delivered: int
    set_aside: int = 0
    seconds: float = field(default=0.0, compare=False)
    version: int = 0
    change_seconds: float = field(default=0.0, compare=False)


class _ServedSlice(NamedTuple):
    """The results to be committed together. `is_last` means that the log has no further events."""

    shards: list[Shard | BatchShard]
    logged: list[ReadEvent]
    deliveries: list[Delivery]
    is_last: bool


def serve_pending(store: Store, shards: int = 1, batch: int = 5_000, close: bool = False) -> Iterator[CommittedBatch]:
    """Serve all events logged since the last run, in batches. Each batch is committed before the next.

    Deliveries, delivery state and the offset are written in one transaction, so a crash at any point neither loses
    nor repeats anything. Each event is served with the catalog version that was current at its publication, so the
    deliveries do not depend on the batch boundaries. `close` ends unfinished periods, as a replay does.
    """
    pipeline = LocalPipeline(store, shards, batch)
    yield from pipeline.serve(close)
    pipeline.save()


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
        It can be exceeded by the time for one event. The first slice is a third of it, so that few events are
        delivered soon, unless an urgent event is pending. If a commit takes longer, the slice grows with it, because
        at least half of the time is for serving.
    has_loops
        Whether the compiled loops of the array engine can be used. Until they can, the reference engine serves.
    urgent
        The offset of the next event after an offset for which somebody waits who published little; None if there is
        none. A batch is committed as soon as it has reached this event.
    """

    def __init__(
        self,
        store: Store,
        shards: int = 1,
        batch: int = 5_000,
        expected: int = 0,
        slice_seconds: float = float("inf"),
        has_loops: Callable[[], bool] = lambda: True,
        urgent: Callable[[int], int | None] = lambda after: None,
    ) -> None:
        self._store = store
        self._has_loops = has_loops
        self._urgent = urgent
        self._count = shards
        self._batch = batch
        self._expected = expected
        self._slice_seconds = slice_seconds
        self._part = batch if slice_seconds == float("inf") else min(batch, _FIRST_PART)
        """The number of events to serve before the clock is checked."""
        self._shortest = float("inf")
        """Seconds of the shortest part so far."""
        self._commit_seconds = 0.0
        self._behind = 0
        """The number of slices since all events were served."""
        self._serving_seconds = self._change_seconds = 0.0
        """Processor time of the present slice."""
        self._shards: list[Shard | BatchShard] = []
        self._offset = -1
        self._version = 0
        self._clock = 0
        """The number of the last advance of the clock."""
        self._pages = PageWriter([])
        self._chosen_for = 0
        """The number of subscriptions when the kind of shard was chosen."""
        self._aside: list[SetAside] = []
        self._last_catalog: tuple[int, Catalog] | None = None
        """The version of the last event and its catalog: to look up even a cached one reads the store."""
        self._ahead: Catalog | None = None
        """The catalog of the shards, if they have subscriptions that are newer than `version`."""
        self._look = LookAhead(store)
        self._saved_catalog: SavedCatalog | None = None
        self.saved_version: int | None = None
        """The version of the saved catalog from which the shards were loaded; None if there was none."""

    def load(self) -> None:
        """Load the shards, so that `due` is known before anything is published."""
        if not self._shards or self._store.reached() != self._offset:
            self._load()

    def serve(self, close: bool = False) -> Iterator[CommittedBatch]:
        """Serve the pending events, as `serve_pending` does."""
        store, clock = self._store, self._store.database.clock
        self.load()
        while True:
            if self._is_outgrown() and self._has_loops():
                self._choose_again(plain=False)
            expected, served = self._offset, clock()
            served_slice = self._serve_slice(close)
            shards, logged, deliveries = served_slice.shards, served_slice.logged, served_slice.deliveries
            if not logged and not deliveries and not self._aside:
                self._shards = shards
                return
            begun = monotonic()
            reached = logged[-1].offset if logged else expected
            self._take(shards, reached)
            at = Position(reached, self._version, self._clock)
            if close and served_slice.is_last:  # the log does not say that the stream has ended
                state = self._pages.all_changes(shards, at)
            else:
                took = self._serving_seconds + self._change_seconds
                state = self._pages.changes(shards, at, len(logged), took, failed=self._failed())
            self._take(shards, reached)
            written = store.commit(
                sorted(deliveries, key=lambda delivery: delivery.order),
                offset=reached,
                catalog_version=self._version,
                state=state,
                expected_offset=expected,
                instants=Instants(served, clock()),
                set_aside=self._aside,
                matched=sum(shard.take_matches() for shard in shards),
            )
            self._commit_seconds = monotonic() - begun
            self._offset, self._shards = reached, shards
            self._look.rest()
            told, seconds = self._told(), (self._serving_seconds, self._change_seconds)
            yield CommittedBatch(reached, len(logged), written, told, seconds[0], self._version, seconds[1])
            if served_slice.is_last:
                return

    @property
    def is_over_arrays(self) -> bool:
        """Whether the shards use the array engine, once they are loaded."""
        return any(isinstance(shard, BatchShard) for shard in self._shards)

    @property
    def first_version(self) -> int:
        """The version of the catalog with which the next start begins."""
        version = self._pages.catalog_version
        return self._version if version is None else version

    @property
    def due(self) -> datetime | None:
        """When the clock ends the next period with pending candidates, which `advance` then delivers; None if there
        is none."""
        found = [due for shard in self._shards if (due := shard.due) is not None]
        return min(found) + GRACE if found else None

    def prepare(self, is_over: Callable[[], bool]) -> None:
        """Do in advance what the next event would wait for, until `is_over`.

        Subscriptions that were added since the last event join the shards and their index, and those of users who have
        many are compared. Each event is still served with the catalog of its own version.
        """
        while not is_over() and self._look_ahead():
            pass
        self.compare(is_over)

    def compare(self, is_over: Callable[[], bool]) -> None:
        """Compare the subscriptions of users who have many, as far as they are new, until `is_over`."""
        for shard in self._shards:
            shard.prepare(is_over)

    def _look_ahead(self) -> bool:
        """Let some of the added subscriptions join the shards. Returns whether there may be more."""
        newest = self._look.newest(self._version) if self._shards else None
        if newest is None:
            return False
        if self._is_outgrown(newest) and self._has_loops():
            self._choose_again(plain=False, count=len(newest.subscriptions))
        shards = [shard for shard in self._shards if isinstance(shard, BatchShard)]
        ahead = self._look.with_some(self._ahead or self._store.catalog(self._version), newest, shards)
        if ahead is None:
            return False
        self._shards = []  # after a failure they are loaded again
        for shard in shards:
            shard.update(ahead)
            next(iter(shard.match(Event("none", EPOCH, {}))), None)  # this compiles the index
        self._shards, self._ahead = [*shards], ahead
        self._take(shards, self._offset + 1)
        return True

    def waiting(self) -> tuple[int, int]:
        """How many candidates wait for the end of their period, and of how many users. Reads the whole state."""
        states = [state for shard in self._shards for state in unpack_states(shard.state()).values()]
        # A filter wraps the mode that holds its candidates.
        modes = [state["mode"].get("mode", state["mode"]) for state in states if not state.get("set_aside")]
        counts = [len(mode.get("candidates", ())) for mode in modes]
        return sum(counts), sum(count > 0 for count in counts)

    def advance(self) -> CommittedBatch | None:
        """End the periods that are over by the clock of the store, if no event is pending.

        Returns None if nothing was due. An event logged afterwards arrived after the end of its period. A replay of
        the log treats it the same way, because the log says when each event was logged, and that time ends the
        periods.
        """
        due, clock = self.due, self._store.database.clock
        if due is None or clock() < due:
            return None
        now = self._store.time_at_end(self._offset)
        if now is None or now < due:
            return None
        shards, self._shards = self._shards, []
        advance = ClockAdvance(self._clock + 1, self._offset, now - GRACE)
        begun = monotonic()
        deliveries = [delivery for shard in shards for delivery in shard.advance(advance.clock)]
        self._take(shards, self._offset + 1)
        at = Position(self._offset, self._version, advance.number)
        state = self._pages.changes(shards, at, 0, monotonic() - begun, advance, self._failed())
        self._take(shards, self._offset + 1)
        written = self._store.commit(
            sorted(deliveries, key=lambda delivery: delivery.order),
            offset=self._offset,
            catalog_version=self._version,
            state=state,
            expected_offset=self._offset,
            instants=Instants(now, clock()),
            set_aside=self._aside,
        )
        self._clock, self._shards = advance.number, shards
        return CommittedBatch(self._offset, 0, written, self._told(), version=self._version)

    def save(self, is_idle: bool = False) -> None:
        """Save the delivery state as of the last commit, so that the next start is quick and pruning waits for nothing.

        With `is_idle`, save a small part that has waited for a minute. Call this repeatedly while nothing is pending.
        """
        at = Position(self._offset, self._version, self._clock)
        while self._shards:
            state = self._pages.behind(self._shards, at, _IDLE_BUDGET if is_idle else _SAVE_BUDGET, is_idle)
            if state is None:
                return
            shards, self._shards = self._shards, []
            self._store.save_state(state, self._offset)
            self._shards = shards
            if is_idle:
                return

    def _serve_slice(self, close: bool) -> "_ServedSlice":
        """Serve the events of one commit.

        If the array engine fails, the reference engine serves them from the stored state.
        """
        # After a failure from here on, the shards would contain uncommitted events, so they are dropped.
        shards, self._shards = self._shards, []
        share = min(1.0, (self._behind + 1) / _PARTS)
        began = monotonic()
        until = began + max(share * self._slice_seconds, self._commit_seconds)
        until_urgent = began + max(self._slice_seconds, self._commit_seconds)
        logged: list[ReadEvent] = []
        deliveries: list[Delivery] = []
        self._serving_seconds = self._change_seconds = 0.0
        while True:
            after = logged[-1].offset if logged else self._offset
            urgent = self._urgent(self._offset)
            if urgent is not None and urgent <= after:
                self._behind += 1
                return _ServedSlice(shards, logged, deliveries, is_last=False)
            most = min(self._part, self._batch - len(logged))
            wanted = most if urgent is None else min(most, urgent - after)
            begun, changing, spent = monotonic(), self._change_seconds, thread_time()
            part = read_events(self._store, after, wanted)
            self._serving_seconds += thread_time() - spent
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
            if part:
                seconds = monotonic() - begun - (self._change_seconds - changing)
                self._part = self._next_part(len(part), seconds, is_full=len(part) == most)
            if is_last and part and not close:
                later = self._urgent(self._offset)
                if later is not None and later > logged[-1].offset:  # it was logged meanwhile
                    urgent, is_last = later, False
            # Somebody waits for an urgent event, and a commit before it would delay it.
            is_over = monotonic() >= (until if urgent is None else until_urgent)
            if is_last or len(logged) >= self._batch or is_over:
                self._behind = 0 if is_last else self._behind + 1
                return _ServedSlice(shards, logged, deliveries, is_last)

    def _next_part(self, events: int, seconds: float, is_full: bool) -> int:
        """The number of events to serve before the next check of the clock, given the duration of the last part.

        It grows only after a part that was full. With many users, a part costs something even with one event: half of
        the shortest part counts as that, or else events would be served one by one because of it.
        """
        self._shortest = min(self._shortest, seconds)
        fitting = self._slice_seconds / _PARTS / max(seconds - self._shortest / 2, 1e-6) * events
        return max(1, round(min(fitting, 2.0 * events if is_full else self._part, self._batch)))

    def _take(self, shards: Sequence[Shard | BatchShard], seq: int) -> None:
        """Collect what the shards have set aside. `seq` is the position of the current event."""
        for shard in shards:
            self._aside += [row if row.seq else replace(row, seq=seq) for row in shard.take_set_aside(self._version)]

    def _failed(self) -> set[str]:
        return {row.user for row in self._aside if row.user is not None}

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
        self._aside, self._ahead, self._last_catalog = [], None, None
        saved = self._store.saved_state()
        if not saved.pages:  # there is no state yet, so the catalogs before that of the next event do not matter
            pending = self._store.event_texts(saved.offset, saved.offset + 1)
            version = next((row.catalog_version for row in pending), None)
            saved = saved._replace(catalog_version=self._store.version() if version is None else version)
        if saved.pages and saved.shards != self._count:
            raise StoreError(
                f"the delivery state of this store is in {saved.shards} shards, not {self._count}; run it with as many, or "
                f"change that with: rankcast state repartition --shards {self._count}"
            )
        self._offset, self._version = saved.offset, saved.catalog_version
        clocks = [page.mark.clock for page in saved.pages] + [advance.number for advance in saved.advances]
        self._clock = max(clocks, default=0)
        begin = min((page.mark.catalog_version for page in saved.pages), default=saved.catalog_version)
        saved_catalog = read_catalog(self._store, begin)
        if saved_catalog is not None:
            self._store.keep_catalog(saved_catalog.version, saved_catalog.catalog)
        self._saved_catalog = saved_catalog
        self.saved_version = None if saved_catalog is None else saved_catalog.version
        try:
            self._shards = restore(self._store, saved, self._make_shards)
        except StoreError:
            raise
        except Exception as error:
            _log.warning("the array engine failed, the reference engine restores the state: %s", reason(error))
            self._shards = restore(self._store, saved, lambda catalog: make_shards(catalog, self._count, 0))
        self._pages = PageWriter(self._shards, saved)
        if self.is_over_arrays:
            self._saved_catalog = None
        if plain and self.is_over_arrays:
            self._choose_again(plain=True)
        self._take(self._shards, self._offset + 1)

    def _make_shards(self, catalog: Catalog, count: int = 0) -> list[Shard | BatchShard]:
        """Shards that suit the amount of work, with at least `count` subscriptions."""
        pending = max(self._expected, self._store.last_offset() - self._offset)
        count = max(count, len(catalog.subscriptions))
        if is_small(pending, count):
            self._chosen_for, events = count, 0
        elif self._has_loops():
            self._chosen_for, events = count, max(pending, FEW_EVENTS)
        else:
            self._chosen_for, events = 0, 0  # the choice is made again when there are loops
        return make_shards(catalog, self._count, events, partial(self._saved_matching, catalog))

    def _saved_matching(self, catalog: Catalog) -> IndexMatching | None:
        """The saved index for a catalog of its version or a later one; None if there is none or concepts changed."""
        saved = self._saved_catalog
        if saved is None or saved.catalog.concepts != catalog.concepts:
            return None
        return IndexMatching(saved.compiled, [*saved.catalog.subscriptions.values()])

    def _choose_again(self, plain: bool, count: int = 0) -> None:
        """Replace the shards by such that suit the amount of work, or by plain ones, in the same state.

        `count` is the number of subscriptions that there will be soon.
        """
        catalog = self._store.catalog(self._version)
        shards = make_shards(catalog, self._count, 0) if plain else self._make_shards(catalog, count)
        before, self._shards, self._ahead = self._shards, shards, None
        for shard, old in zip(self._shards, before, strict=True):
            shard.restore(old.state())
        self._take(self._shards, self._offset + 1)

    def _is_outgrown(self, catalog: Catalog | None = None) -> bool:
        """Whether shards chosen for a small job have a large one, with a catalog or with that of the last event."""
        if isinstance(self._shards[0], BatchShard):
            return False
        catalog = catalog or self._store.catalog(self._version)
        return (
            len(catalog.subscriptions) > 2 * self._chosen_for or self._store.last_offset() - self._offset >= FAR_BEHIND
        )

    def _catalog_of(self, version: int) -> Catalog:
        if self._last_catalog is None or self._last_catalog[0] != version:
            self._last_catalog = version, self._store.catalog(version)
        return self._last_catalog[1]

    def _publish(self, shards: Sequence[Shard | BatchShard], logged: list[ReadEvent], close: bool) -> list[Delivery]:
        deliveries: list[Delivery] = []
        for version, group in groupby(logged, key=lambda entry: entry.catalog_version):
            begun = thread_time()
            catalog, entries = self._catalog_of(version), list(group)
            if version != self._version or self._ahead is not None:
                self._version, self._ahead = version, None
                deliveries += [delivery for shard in shards for delivery in shard.update(catalog)]
                self._take(shards, entries[0].offset)
                self._change_seconds += thread_time() - begun
            begun = thread_time()
            made, aside = publish_to(shards, catalog, entries)
            self._serving_seconds += thread_time() - begun
            deliveries += made
            self._aside += aside
            self._take(shards, entries[-1].offset)
        if close:
            deliveries += [delivery for shard in shards for delivery in shard.close()]
            self._take(shards, logged[-1].offset if logged else self._offset)
        return deliveries
