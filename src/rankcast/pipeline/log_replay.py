"""Serving one user alone along the log of a store, each event under its own version of the catalog."""

from collections.abc import Callable, Sequence
from functools import cached_property, partial

from rankcast.choose import Moment, Step
from rankcast.engine.choice import is_small, shard_for
from rankcast.engine.states import pack_states, unpack_states
from rankcast.engine.trace import UserReplay
from rankcast.model import Advertisement, Catalog, Concept, Event, Record
from rankcast.pipeline.remembered import Remembered
from rankcast.plain import State
from rankcast.store import BrokerLog, LoggedEvent, Store
from rankcast.store.event_log import LoggedText

_ROUTES = 1_000
"""The choices of brokers are read for this many events at once."""

choices = Remembered[tuple[tuple[str, int], int, int], frozenset[str]](10_000)
"""The subscriptions that events under an advertisement reach, by store, version of the catalog and event. To choose
them costs a match of all subscriptions, and all users share the choice."""

catalogs = Remembered[tuple[tuple[str, int], int], Catalog](10_000, lambda catalog: 1 + len(catalog.subscriptions))
"""The records of everybody by store and version, for these choices: together about as many subscriptions."""


class LogReplay:
    """One user along the log of a store, as the shard serves them. Explanations and digests use this.

    `user_replay` is None while the user has no subscriptions. `catalog` has the records of the user and the shared ones;
    `catalogs` gives it for a version.
    """

    def __init__(
        self, store: Store, user: str, catalog_version: int, catalogs: Callable[[int], Catalog] | None = None
    ) -> None:
        self._store = store
        self.user = user
        self._version = catalog_version
        self._catalogs = catalogs or partial(store.user_catalog, user)
        self.user_replay: UserReplay | None = None
        self.catalog = Catalog()
        self._routes: dict[int, frozenset[str] | None] = {}
        self._use(self._catalogs(catalog_version))

    @property
    def version(self) -> int:
        """The version of the catalog that the user is served with."""
        return self._version

    @cached_property
    def _place(self) -> tuple[str, int]:
        return self._store.database.place, self._store.created()

    def update(self, version: int) -> list[Step]:
        """Switch to a version of the catalog; returns the decisions that this causes."""
        if version == self._version:
            return []
        changes = list(self._store.changes(self._version, version))
        self._version = version
        if any(change.record is None or self._concerns(change.record) for change in changes):
            return self._use(self._catalogs(version))
        if self.user_replay is not None:
            self.user_replay.compete_anew()
        return []

    def forward(self, entries: Sequence[LoggedEvent]) -> None:
        """Serve events at the speed of an engine, without showing the decisions."""
        if is_small(len(entries), len(self.catalog.subscriptions_of(self.user))):
            version, state = self._version, self._state()
            try:
                for entry in entries:
                    self.update(entry.catalog_version)
                    if self.user_replay is not None:
                        self.user_replay.publish(entry.event, entry.clock)
            except Exception:  # a shard sets aside what fails
                self._return(version, state)
            else:
                return
        self._forward_by_shards(entries)

    def _forward_by_shards(self, entries: Sequence[LoggedEvent]) -> None:
        first = 0
        while first < len(entries):
            self.update(entries[first].catalog_version)
            last = first
            while last < len(entries) and not self._is_changed(entries[last].catalog_version):
                last += 1
            self._serve(entries[first:last])
            first = last

    def _state(self) -> State | None:
        return None if self.user_replay is None else self.user_replay.subscriber.state()

    def _return(self, version: int, state: State | None) -> None:
        """Go back to a version of the catalog and the state that the user had then."""
        self._version, self.user_replay = version, None
        self._use(self._catalogs(version))
        if self.user_replay is not None and state is not None:
            self.user_replay.restore(state)

    def pass_by(self, row: LoggedText) -> None:
        """Note the times of an event that does not matter otherwise: periods of time depend on them."""
        if self.user_replay is not None:
            self.user_replay.subscriber.mode.publish(Moment(row.offset, row.published, row.clock), None)

    def _is_changed(self, version: int) -> bool:
        """Whether something that concerns the user has changed since the current version."""
        if version == self._version:
            return False
        changes = list(self._store.changes(self._version, version))
        # Under an advertisement users compete, so everybody's subscriptions matter.
        if (changes and self.catalog.advertisements) or any(
            change.record is None or self._concerns(change.record) for change in changes
        ):
            return True
        self._version = version
        return False

    def _serve(self, entries: Sequence[LoggedEvent]) -> None:
        replay = self.user_replay
        if replay is None or not entries:
            return
        own = self.catalog.alone(self.user)
        shard = shard_for(len(entries), own)
        shard.restore(pack_states({self.user: replay.subscriber.state()}))
        admitted = {
            entry.event.id: {one.id for one, _ in replay.admitted(entry.event, replay.matched(entry.event))}
            for entry in entries
            if entry.event.advertisement is not None
        }
        shard.publish([entry.event for entry in entries], admitted, [entry.clock for entry in entries])
        state = unpack_states(shard.state()).get(self.user)
        if state is not None:
            replay.restore(state)

    def _concerns(self, record: Record) -> bool:
        """Whether a change of this record may affect the user: the user's own records and shared ones."""
        return isinstance(record, Advertisement | Concept) or record.user == self.user

    def _chosen(self, event: Event) -> frozenset[str] | None:
        """The subscriptions that brokers or the publisher chose for an event of the log; None if nobody chose."""
        if event.seq not in self._routes:
            near = range(event.seq, event.seq + _ROUTES)
            self._routes = {**dict.fromkeys(near), **BrokerLog(self._store.database).chosen(near)}
        chosen = self._routes[event.seq]
        if chosen is None and event.advertisement in self.catalog.advertisements:
            assert self.user_replay is not None
            key = self._place, self._version, event.seq
            chosen = choices.get(key, partial(self.user_replay.recipients, event))
        return chosen

    def _everybody(self) -> Catalog:
        """The whole catalog in the current version."""
        return catalogs.get((self._place, self._version), partial(self._store.catalog, self._version))

    def _use(self, catalog: Catalog) -> list[Step]:
        self.catalog = catalog
        if not catalog.subscriptions_of(self.user):
            self.user_replay = None
        elif self.user_replay is None:
            self.user_replay = UserReplay(catalog, self.user, self._chosen, self._everybody)
        else:
            return self.user_replay.update(catalog)
        return []
