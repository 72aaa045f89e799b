"""How many recent events matched a user, were delivered, and were left out."""

from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from rankcast.matching import OracleMatcher
from rankcast.model import Catalog, Event
from rankcast.service.service import Service

__all__ = ["EventCounts", "count_recent"]

_COMPARISONS = 200_000
"""With thousands of subscriptions fewer events are looked at."""

_VERSIONS = 20
"""Of so many versions of the catalog at most, because an older one has to be made first."""


class EventCounts(NamedTuple):
    """Of so many recent events, how many matched, and how many of those were delivered."""

    published: int
    matched: int
    delivered: int

    @property
    def left_out(self) -> int:
        """Those that matched and were not delivered, or not yet."""
        return max(0, self.matched - self.delivered)


def count_recent(service: Service, user: str, limit: int = 1000) -> EventCounts:
    """Count the last events, each under the catalog that it was published under.

    Only matches them, and does not rank and choose again: some milliseconds.
    """
    store = service.store
    subscriptions = len(service.catalog().subscriptions_of(user))
    limit = min(limit, max(50, _COMPARISONS // max(1, subscriptions)))
    logged = list(store.events(after=max(0, store.last_offset() - limit), limit=limit))
    looked_at: set[str] = set()
    matched: set[str] = set()
    for number, (version, entries) in enumerate(groupby(reversed(logged), key=lambda entry: entry.catalog_version)):
        if number == _VERSIONS:
            break
        events = [entry.event for entry in entries]
        looked_at.update(event.id for event in events)
        matched |= _matching(store.catalog(version), user, events)
    sent = {delivery.event for _, delivery in service.deliveries(user, 0, limit, newest_first=True)} & looked_at
    return EventCounts(len(looked_at), len(matched | sent), len(sent))


def _matching(catalog: Catalog, user: str, events: Iterable[Event]) -> set[str]:
    """The events that match a user."""
    matcher = OracleMatcher.of(catalog, catalog.subscriptions_of(user))
    return {event.id for event in events if any(True for _ in matcher.match(event))}
