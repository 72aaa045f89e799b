"""Serving one user alone along the log of a store, each event under its own version of the catalog."""

from collections.abc import Callable, Sequence
from functools import partial

from rankcast.choose import Moment, Step
from rankcast.engine.choice import shard_for
from rankcast.engine.states import pack_states, unpack_states
from rankcast.engine.trace import UserReplay
from rankcast.model import Advertisement, Catalog, Concept, Event, Policy, Record
from rankcast.store import BrokerLog, LoggedEvent, Store
from rankcast.store.event_log import LoggedText

__all__ = ["LogReplay"]


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
        self._use(self._catalogs(catalog_version))

    @property
    def version(self) -> int:
        """The version of the catalog that the user is served with."""
        return self._version

    def update(self, version: int) -> list[Step]:
        """Switch to a version of the catalog; returns the decisions that this causes."""
        if version == self._version:
            return []
        changes = self._store.changes(self._version, version)
        self._version = version
        if any(change.record is None or self._concerns(change.record) for change in changes):
            return self._use(self._catalogs(version))
        return []

    def forward(self, entries: Sequence[LoggedEvent]) -> None:
        """Serve events at the speed of an engine, without showing the decisions."""
        first = 0
        while first < len(entries):
            self.update(entries[first].catalog_version)
            last = first
            while last < len(entries) and not self._is_changed(entries[last].catalog_version):
                last += 1
            self._serve(entries[first:last])
            first = last

    def pass_by(self, row: LoggedText) -> None:
        """Note the times of an event that does not matter otherwise: periods of time depend on them."""
        if self.user_replay is not None:
            self.user_replay.subscriber.mode.publish(Moment(row.offset, row.published, row.clock), None)

    def policies(self, version: int) -> list[Policy]:
        """The user's policies from the current version of the catalog up to another."""
        found = [
            change.record
            for change in self._store.changes(self._version, version)
            if isinstance(change.record, Policy) and change.record.user == self.user
        ]
        return [self.catalog.policy_of(self.user), *found]

    def _is_changed(self, version: int) -> bool:
        """Whether something that concerns the user has changed since the current version."""
        if version == self._version:
            return False
        changes = self._store.changes(self._version, version)
        if any(change.record is None or self._concerns(change.record) for change in changes):
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
        if isinstance(record, Advertisement | Concept):
            return True
        # Under an advertisement users compete, so everybody's subscriptions matter.
        return record.user == self.user or bool(self.catalog.advertisements)

    def _chosen(self, event: Event) -> frozenset[str] | None:
        """The subscriptions that brokers chose for an event of the log; None if this is not the store of a broker."""
        return BrokerLog(self._store.database).chosen([event.seq]).get(event.seq)

    def _use(self, catalog: Catalog) -> list[Step]:
        self.catalog = catalog
        if not catalog.subscriptions_of(self.user):
            self.user_replay = None
        elif self.user_replay is None:
            self.user_replay = UserReplay(catalog, self.user, self._chosen, lambda: self._store.catalog(self._version))
        else:
            return self.user_replay.update(catalog)
        return []
