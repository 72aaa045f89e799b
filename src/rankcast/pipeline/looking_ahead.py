"""Subscriptions that were added since the last event: what the next event would otherwise wait for."""

from collections.abc import Callable, Sequence
from itertools import islice
from time import monotonic

from rankcast.engine.arrays import BatchShard
from rankcast.model import Catalog, Is, Policy, ScorePart, Subscription, predicates_of
from rankcast.store import Store

_AT_A_TIME = 150
"""Number of added subscriptions that join the shards at a time, and are compared if a user has many: an event that
comes then waits for some 30 ms."""
_SHARE = 50
"""In a large catalog, this part of it joins at a time, because every time costs something for each subscription."""
_IDLE = 1.0
"""Seconds without an event after which added subscriptions are looked for: somebody who is served often waits least if
the next event takes them up."""
_PAUSE = 10.0
"""Pause after a look that found nothing, as a multiple of the time it took."""


class LookAhead:
    """Looks for added subscriptions in the catalogs of a store, while no events come."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._looked_at = 0
        """The version of the catalog up to which all that can join has joined."""
        self._newest = 0
        self._from = self._begun = 0.0

    def rest(self) -> None:
        """Look no sooner than a second from now, because an event came."""
        self._from = max(self._from, monotonic() + _IDLE)

    def newest(self, version: int) -> Catalog | None:
        """The newest catalog, if it is time to look and it is newer than `version`."""
        self._newest, self._begun = self._store.version(), monotonic()
        is_time = self._begun >= self._from and self._newest > max(version, self._looked_at)
        return self._store.catalog(self._newest) if is_time else None

    def with_some(self, present: Catalog, newest: Catalog, shards: Sequence[BatchShard]) -> Catalog | None:
        """The present catalog with some of the subscriptions that the newest one has besides; None without any."""
        most = max(_AT_A_TIME, len(newest.subscriptions) // _SHARE)
        ahead = with_added(present, newest, most, lambda user: all(shard.is_sound(user) for shard in shards))
        if ahead is not None and shards:
            return ahead
        self._looked_at = self._newest
        self._from = monotonic() + (monotonic() - self._begun) * _PAUSE
        return None


def with_added(present: Catalog, newest: Catalog, most: int, is_sound: Callable[[str], bool]) -> Catalog | None:
    """The present catalog with up to `most` of the subscriptions that the newest one has besides; None without any.

    Shards that are given this catalog before they are given a later version are then in the same state as without it:
    no event is served in between. For this, subscriptions that change more than ranks are left out: those of present
    users with a filter, with starting values by preference, or with a score of several criteria, and those of users for
    whom something has failed. So are vague ones, whose concepts may be newer.
    """

    def joins(one: Subscription) -> bool:
        if one.id in present.subscriptions or not is_sound(one.user):
            return False
        is_new = not present.subscriptions_of(one.user)
        return (is_new or _is_plain(present.policy_of(one.user))) and not _is_vague(one)

    added = list(islice(filter(joins, newest.subscriptions.values()), most))
    if not added:
        return None
    made = present.copy()
    for one in added:
        if not present.subscriptions_of(one.user) and one.user in newest.policies:
            made.put(newest.policies[one.user])
        made.put(one)
    return made


def _is_plain(policy: Policy) -> bool:
    has_criteria = any(part is not ScorePart.PREFERENCE and weight > 0 for part, weight in policy.score.items())
    return policy.filter is None and not policy.decay.preferred and not has_criteria


def _is_vague(one: Subscription) -> bool:
    return any(isinstance(predicate.test, Is) for predicate in predicates_of(one.where))
