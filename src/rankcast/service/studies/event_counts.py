"""Counts of recent events that matched a user, were delivered, and were left out."""

from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from rankcast.matching import OracleMatcher
from rankcast.model import Catalog, Event
from rankcast.service.trial_tasks import TrialHistory, newest_deliveries, recent_entries
from rankcast.store import Store

_COMPARISONS = 200_000
"""The most comparisons of an event with a subscription. Users with many subscriptions get fewer events."""

_VERSIONS = 20
"""The most catalog versions that are examined, because older ones have to be reconstructed."""


class EventCounts(NamedTuple):
    """The number of recent events, of those that matched, and of those that were delivered."""

    published: int
    matched: int
    delivered: int

    @property
    def left_out(self) -> int:
        """The number of events that matched but were not delivered, or not yet."""
        return max(0, self.matched - self.delivered)


def count_recent(history: TrialHistory, user: str) -> EventCounts:
    """Count the last events, each under the catalog version at its publication.

    Only matches the events, without ranking or selection. Cost: a scan of the catalog, decoding only the user's part.
    """
    with Store.open(history.store) as store:
        looked_at, matched, sent = _look(store, history, user)
    return EventCounts(len(looked_at), len(matched | sent), len(sent))


def left_out_events(store: Store, history: TrialHistory, user: str) -> list[Event]:
    """The recent events that matched and were not delivered, or not yet, newest first. Cost as of `count_recent`."""
    looked_at, matched, sent = _look(store, history, user)
    return [event for name, event in reversed(looked_at.items()) if name in matched - sent]


def _look(store: Store, history: TrialHistory, user: str) -> tuple[dict[str, Event], set[str], set[str]]:
    """The recent events by id, in order, and the ids of those that matched and of those that were delivered."""
    newest = store.catalog_part(user.__eq__)
    limit = min(history.events, max(50, _COMPARISONS // max(1, len(newest.subscriptions_of(user)))))
    logged = recent_entries(store, limit, history.bytes)
    groups = [(version, list(part)) for version, part in groupby(logged, key=lambda entry: entry.catalog_version)]
    looked_at: dict[str, Event] = {}
    matched: set[str] = set()
    part, at = None, 0
    for version, entries in groups[-_VERSIONS:]:
        part = store.catalog_part(user.__eq__, version) if part is None else _later(store, part, at, user, version)
        at = version
        events = [entry.event for entry in entries]
        looked_at.update((event.id, event) for event in events)
        matched |= _matching(part, user, events)
    sent = {delivery.event for delivery in newest_deliveries(store, user, limit)} & looked_at.keys()
    return looked_at, matched, sent


def _later(store: Store, part: Catalog, after: int, user: str, version: int) -> Catalog:
    return store.catalog_part_after(part, after, user.__eq__, version)


def _matching(catalog: Catalog, user: str, events: Iterable[Event]) -> set[str]:
    """The ids of the events that match a user."""
    matcher = OracleMatcher.of(catalog, catalog.subscriptions_of(user))
    return {event.id for event in events if any(True for _ in matcher.match(event))}
