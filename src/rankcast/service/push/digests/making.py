"""Making a digest: from the end of the last one to the current position of the pipeline."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import count, takewhile
from typing import NamedTuple

from rankcast.model import Delivery
from rankcast.pipeline.saved_state import page_with
from rankcast.plain import JsonObject
from rankcast.service.push.digests.retracing import UserTrace, state_of
from rankcast.service.push.digests.schedules import Schedule
from rankcast.store import ClockAdvance, StatePage, Store
from rankcast.store.push.digest_log import DigestLog, KeptDigest, KeptSchedule, LeftOut, PipelineMoment

EXAMINED = 50_000
"""The most events that are examined for a digest. Only the last ones are examined, but all are counted."""
LISTED = 500
"""The most omitted events that are listed. Only the best are listed, but all are counted."""
_TRIES = 3
"""How often the state of a user is looked for if the pipeline commits meanwhile."""


class RetracedUser(NamedTuple):
    """What happened to the events of a digest: counts, the best of what was left out, and the state at the end."""

    delivered: int
    counts: JsonObject
    omitted: list[LeftOut]
    state: bytes


Retrace = Callable[[KeptSchedule, PipelineMoment], RetracedUser]
"""Replays a user up to a moment. It may take seconds."""
FindState = Callable[[str, PipelineMoment, StatePage, Sequence[ClockAdvance]], bytes]
"""`state_of` a user in some store. It may take seconds."""


def set_schedule(
    store: Store, user: str, schedule: Schedule, now: datetime, find_state: FindState | None = None
) -> KeptSchedule:
    """Make digests for a user, starting at the current position of the pipeline; or change their schedule.

    If the pipeline commits again and again before the user's state is found, the first digest begins without it.
    """
    log, find = DigestLog(store.database), find_state or partial(state_of, store)
    for tried in count():
        cut, saved = log.cut_with_page(lambda marks: page_with(user, marks))
        if tried == _TRIES:
            saved = None
        kept = KeptSchedule(
            user=user,
            schedule=schedule.to_json(),
            next=schedule.after(now),
            since=cut.delivery,
            reached=cut,
            state=b"" if saved is None else find(user, cut, *saved),
        )
        # If a batch was committed meanwhile, try again from the new position.
        if log.put_schedule(kept, expected=cut):
            return log.schedule(user) or kept
    raise AssertionError("it is tried until it is kept")


def make(
    store: Store,
    start: KeptSchedule,
    now: datetime,
    examined: int = EXAMINED,
    listed: int = LISTED,
    retraced_by: Retrace | None = None,
) -> int | None:
    """Make and store the digest that is due, or an early one. Returns its number, or None if another process made it.

    It contains the deliveries since the last digest, by their numbers, so each delivery is in exactly one digest. If
    the service was down when the digest was due, it is made later and contains more. A digest is made even without
    deliveries, because it says how many events were published. Cost: a replay for this user of the events since the
    last digest, at most `examined` of them.
    """
    log = DigestLog(store.database)
    through = log.cut()
    found = retraced_by(start, through) if retraced_by else retrace(store, start, through, examined, listed)
    return log.add(
        start,
        through,
        delivered=found.delivered,
        counts=found.counts,
        omitted=found.omitted,
        state=found.state,
        following=Schedule.of_json(start.schedule).after(now) if start.next <= now else start.next,
        now=now,
    )


def retrace(
    store: Store, start: KeptSchedule, through: PipelineMoment, examined: int = EXAMINED, listed: int = LISTED
) -> RetracedUser:
    """Replay a user from the last digest up to a moment, the last `examined` events at most."""
    skipped = max(0, through.offset - start.reached.offset - examined)
    first = start.reached.offset + skipped
    logged = store.events(after=first, limit=through.offset - first)
    if not skipped:
        retraced = UserTrace(store, start.user, start.reached.catalog_version, start.state)
    else:
        version = next(iter(store.events(after=first - 1, limit=1))).catalog_version
        retraced = UserTrace(store, start.user, version)
    retraced.follow(logged)
    delivered = [delivery for _, delivery in _between(store, start.user, start.reached, through)]
    retraced.settle([delivery.seq for delivery in delivered])
    omitted = retraced.left_out(listed)
    counts: JsonObject = {
        "published": through.offset - start.reached.offset,
        "not_examined": skipped,
        "matched": retraced.matched,
        "reconsidered": retraced.reconsidered,
        "delivered": len(retraced.sent),
        "waiting": retraced.waiting,
        "left_out": sum(retraced.reasons.values()),
        "reasons": retraced.reasons,
        "listed": len(omitted),
        "exact": retraced.exact and not skipped,
        "labels": retraced.labels({name for delivery in delivered for name in delivery.subscriptions}),
    }
    return RetracedUser(len(retraced.sent), counts, omitted, retraced.state())


def deliveries_of(store: Store, digest: KeptDigest, limit: int | None = None) -> Iterator[tuple[int, Delivery]]:
    """The deliveries in a digest with their numbers, in the order in which they were made."""
    after, through = digest.deliveries
    return takewhile(lambda pair: pair[0] <= through, store.deliveries(digest.user, after, limit))


def _between(store: Store, user: str, after: PipelineMoment, through: PipelineMoment) -> Iterator[tuple[int, Delivery]]:
    return takewhile(lambda pair: pair[0] <= through.delivery, store.deliveries(user, after.delivery))
