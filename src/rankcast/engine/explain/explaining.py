"""Explaining why an event was, or was not, sent to a user, by a replay of events that are at hand.

`rankcast.pipeline.explaining` explains events of a store.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import repeat

from rankcast.engine.explain.event_trace import EventTrace
from rankcast.engine.explain.explanation import Explanation
from rankcast.engine.trace import UserReplay
from rankcast.errors import RankcastError, did_you_mean
from rankcast.model import Catalog, Event


def explain(
    catalog: Catalog,
    events: Sequence[Event],
    user: str,
    event_id: str,
    *,
    finished: bool = True,
    clocks: Sequence[datetime] | None = None,
    until: datetime | None = None,
) -> Explanation:
    """Replay the user alone and record every decision about the event.

    `events` are in publication order; `finished` means that the stream has ended, which closes the last period. Costs
    a replay of one user up to the last decision about the event; events under an advertisement are matched for all
    users. For events served by a live pipeline, `clocks` gives the time at which it received each event, and `until`
    the current time, because periods of time end by the clock.
    """
    if not catalog.subscriptions_of(user):
        raise RankcastError(f"there is no user {user!r} with subscriptions{did_you_mean(user, catalog.users())}")
    event = next((event for event in events if event.id == event_id), None)
    if event is None:
        near = did_you_mean(event_id, [event.id for event in events[:1000]])
        raise RankcastError(f"there is no event {event_id!r} among the {len(events)} events{near}")
    replay = UserReplay(catalog, user)
    trace = EventTrace(event)
    received = repeat(None) if clocks is None else clocks
    for published, clock in zip(events, received, strict=clocks is not None):
        trace.publish(replay, published, clock)
        if trace.is_decided:
            return trace.explanation()
    trace.take(replay.close() if finished else [] if until is None else replay.advance(until))
    return trace.explanation()
