"""How many recent events matched a user, were delivered, and were left out."""

from typing import NamedTuple

from rankcast.match import OracleMatcher
from rankcast.serve.service import Service

__all__ = ["Counted", "count_recent"]


_COMPARISONS = 200_000
"""With thousands of subscriptions fewer events are looked at."""


class Counted(NamedTuple):
    """Of so many recent events, how many matched, and how many of those were delivered."""

    published: int
    matched: int
    delivered: int

    @property
    def left_out(self) -> int:
        """Those that matched and were not delivered, or not yet."""
        return max(0, self.matched - self.delivered)


def count_recent(service: Service, user: str, limit: int = 1000) -> Counted:
    """Count the last events. Only matches them, and does not rank and choose again: some milliseconds."""
    catalog = service.catalog()
    mine = catalog.subscriptions_of(user)
    events = service.recent_events(min(limit, max(50, _COMPARISONS // max(1, len(mine)))))
    if not events:
        return Counted(0, 0, 0)
    matcher = OracleMatcher(
        mine,
        meaning_of=lambda name: lambda attribute, term: catalog.membership(attribute, term, name),
        shared=catalog.membership,
        norm_of=lambda name: catalog.policy_of(name).norm,
    )
    recent = {event.id for event in events}
    matched = {event.id for event in events if any(True for _ in matcher.match(event))}
    sent = {delivery.event for _, delivery in service.deliveries(user, 0, limit, newest_first=True)} & recent
    # What was sent may match no longer, if the subscriptions have changed since.
    return Counted(len(events), len(matched | sent), len(sent))
