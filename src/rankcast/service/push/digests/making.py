"""Making a digest: from the end of the last one to the current position of the pipeline."""

from collections.abc import Iterator
from datetime import datetime
from itertools import takewhile

from rankcast.model import Delivery
from rankcast.pipeline.saved_state import page_with
from rankcast.plain import JsonObject
from rankcast.service.push.digests.retracing import UserTrace, state_of
from rankcast.service.push.digests.schedules import Schedule
from rankcast.store import Store
from rankcast.store.push.digest_log import DigestLog, KeptDigest, KeptSchedule, PipelineMoment

EXAMINED = 50_000
"""The most events that are examined for a digest. Only the last ones are examined, but all are counted."""
LISTED = 500
"""The most omitted events that are listed. Only the best are listed, but all are counted."""


def set_schedule(store: Store, user: str, schedule: Schedule, now: datetime) -> KeptSchedule:
    """Make digests for a user, starting at the current position of the pipeline; or change their schedule."""
    log = DigestLog(store.database)
    while True:
        cut, saved = log.cut_with_page(lambda marks: page_with(user, marks))
        kept = KeptSchedule(
            user=user,
            schedule=schedule.to_json(),
            next=schedule.after(now),
            since=cut.delivery,
            reached=cut,
            state=b"" if saved is None else state_of(store, user, cut, *saved),
        )
        # If a batch was committed meanwhile, try again from the new position.
        if log.put_schedule(kept, expected=cut):
            return log.schedule(user) or kept


def make(
    store: Store, start: KeptSchedule, now: datetime, examined: int = EXAMINED, listed: int = LISTED
) -> int | None:
    """Make and store the digest that is due, or an early one. Returns its number, or None if another process made it.

    It contains the deliveries since the last digest, by their numbers, so each delivery is in exactly one digest. If
    the service was down when the digest was due, it is made later and contains more. A digest is made even without
    deliveries, because it says how many events were published. Cost: a replay for this user of the events since the
    last digest, at most `examined` of them.
    """
    log = DigestLog(store.database)
    through = log.cut()
    retraced, skipped = _retrace(store, start, through, examined)
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
    return log.add(
        start,
        through,
        delivered=len(retraced.sent),
        counts=counts,
        omitted=omitted,
        state=retraced.state(),
        following=Schedule.of_json(start.schedule).after(now) if start.next <= now else start.next,
        now=now,
    )


def deliveries_of(store: Store, digest: KeptDigest, limit: int | None = None) -> Iterator[tuple[int, Delivery]]:
    """The deliveries in a digest with their numbers, in the order in which they were made."""
    after, through = digest.deliveries
    return takewhile(lambda pair: pair[0] <= through, store.deliveries(digest.user, after, limit))


def _retrace(store: Store, start: KeptSchedule, through: PipelineMoment, examined: int) -> tuple[UserTrace, int]:
    skipped = max(0, through.offset - start.reached.offset - examined)
    first = start.reached.offset + skipped
    logged = store.events(after=first, limit=through.offset - first)
    if not skipped:
        retraced = UserTrace(store, start.user, start.reached.catalog_version, start.state)
    else:
        version = next(iter(store.events(after=first - 1, limit=1))).catalog_version
        retraced = UserTrace(store, start.user, version)
    retraced.follow(logged)
    return retraced, skipped


def _between(store: Store, user: str, after: PipelineMoment, through: PipelineMoment) -> Iterator[tuple[int, Delivery]]:
    return takewhile(lambda pair: pair[0] <= through.delivery, store.deliveries(user, after.delivery))
