"""The shard: match → rank → choose, for the users assigned to it.

The same `Shard` runs in-process, in a Spark batch and in Spark streaming. All subscriptions and the delivery state of
a user are in one shard, so shards never need to communicate.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, KeysView, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from itertools import repeat
from types import MappingProxyType

from rankcast.choose import Moment
from rankcast.engine.isolation import (
    IsolatedSubscriber,
    MatcherByUser,
    RecentMoments,
    in_order,
    reason,
    rows_of_failed_match,
)
from rankcast.engine.published import NamedMatches
from rankcast.engine.reference.subscriber import MANY_TO_COMPARE, deliveries_of, prepare_changes
from rankcast.engine.states import pack_states, unpack_states
from rankcast.matching import OracleMatcher
from rankcast.model import Catalog, Delivery, Event, Match, SetAside, Subscription
from rankcast.overlay import Admission
from rankcast.plain import State


def shard_of(user: str, shards: int) -> int:
    """The shard of a user: a stable hash of the name.

    >>> [shard_of(user, 4) for user in ("addison", "carson", "meredith")]
    [3, 1, 0]
    """
    return hash_of(user) % shards


def hash_of(user: str) -> int:
    """A stable hash of a user's name, of 64 bits."""
    return int.from_bytes(blake2b(user.encode(), digest_size=8).digest())


class Shard:
    """Serves some of the users: holds their part of the catalog and their delivery state.

    Parameters
    ----------
    catalog
        The initial catalog; `update` replaces it.
    serves
        Which users this shard serves; by default all.

    An event costs one match over the shard's subscriptions plus one call per user (windows of published events move
    for everybody). The state holds the contents of the users' windows and periods. Failures for one user or one event
    are set aside, and everybody else is served normally (semantics: What cannot be served).
    """

    def __init__(self, catalog: Catalog, serves: Callable[[str], bool] = lambda user: True) -> None:
        self._serves = serves
        self._journal = RecentMoments()
        self._subscribers: dict[str, IsolatedSubscriber] = {}
        self._catalog = catalog
        self._matcher: OracleMatcher | None = None
        self._unmatched: frozenset[str] = frozenset()
        """Users that the matcher excludes, because they are not served and it failed with them."""
        self._by_user: MatcherByUser | None = None
        self._admission: Admission
        self.matches = 0
        """The number of matches since the shard was created, or since `take_matches`."""
        self.roster_changes = 0
        """Increased whenever users come or go."""
        self._set_aside: list[SetAside] = []
        self._switch(catalog)

    @property
    def users(self) -> KeysView[str]:
        """The users of this shard, in order."""
        return self._subscribers.keys()

    def update(self, catalog: Catalog) -> list[Delivery]:
        """Switch to another version of the catalog, from the next event on.

        A user with a changed period or window gets the deliveries that the old one still owed. Other changes keep the
        state. New subscriptions of a user with many are compared with the others.
        """
        known = self._subscribers
        changed = {user for user, one in known.items() if not one.is_current(catalog)}
        deliveries = self._switch(catalog)
        changed |= self._subscribers.keys() - known.keys()
        many = sorted(user for user in changed & self._subscribers.keys() if self._has_many(user))
        prepare_changes(many, lambda user: self._subscribers[user].subscriber)
        return deliveries

    def prepare(self, is_over: Callable[[], bool]) -> bool:
        """Do in advance what the next event would do for users with many subscriptions, until `is_over`.

        Returns whether all is done.
        """
        for user, one in self._subscribers.items():
            if one.subscriber is not None and self._has_many(user):
                with suppress(Exception):  # the event that needs it reports the failure
                    if not one.subscriber.prepare(is_over):
                        return False
        return True

    def _has_many(self, user: str) -> bool:
        return self._catalog.count_of(user) >= MANY_TO_COMPARE

    def _switch(self, catalog: Catalog) -> list[Delivery]:
        deliveries: list[Delivery] = []
        served = [user for user in catalog.users() if self._serves(user)]
        for user in served:
            if user in self._subscribers:
                deliveries += deliveries_of(user, self._subscribers[user].update(catalog))
        if self._subscribers.keys() != set(served):
            self.roster_changes += 1
            known = self._subscribers
            self._subscribers = {user: known.get(user) or self._new(user, catalog) for user in sorted(served)}
        self._catalog = catalog
        self._by_user = None
        self._make_matcher(frozenset())
        self._admission = Admission(catalog)
        return deliveries

    def take_matches(self) -> int:
        """The number of matches since the last call."""
        count, self.matches = self.matches, 0
        return count

    def match(self, event: Event) -> Iterator[Match]:
        """The subscriptions of this shard that an event matches, in catalog order."""
        for subscription, degree in self._found(event)[0]:
            yield Match(event.id, subscription.id, subscription.user, degree)

    def publish(
        self,
        events: Iterable[Event],
        admitted: Mapping[str, Collection[str]] | None = None,
        clocks: Iterable[datetime | None] | None = None,
    ) -> list[Delivery]:
        """Serve the next events, in order of `seq`; returns the deliveries that they cause.

        `admitted` gives the subscriptions that each event under an advertisement goes to. Without it, the k best are
        chosen among this shard's own, which is correct if all users are in this shard. `clocks` gives the time at
        which each event was received, for a live stream, in which the clock also ends periods of time. Failures are
        set aside (`take_set_aside`).
        """
        deliveries: list[Delivery] = []
        for event, clock in zip(events, repeat(None) if clocks is None else clocks, strict=False):
            place = self._journal.add(Moment(event.seq, event.time, clock), event)
            matched, failures = self._matched(event, admitted)
            for user, subscriber in self._subscribers.items():
                steps = subscriber.publish(place, matched.get(user, ()), user not in failures)
                deliveries += deliveries_of(user, steps)
            self._turn()
        return deliveries

    def deliver(
        self,
        events: Sequence[Event],
        matches: NamedMatches,
        clocks: Sequence[datetime] | None = None,
        failures: Mapping[int, Mapping[str, str]] = MappingProxyType({}),
    ) -> list[Delivery]:
        """Rank and choose among the given matches of the next events: `publish` without matching.

        `failures` gives, by the index of an event, the users for whom it could not be matched, with the reason.
        """
        self.matches += len(matches.event)
        found: dict[int, dict[str, list[tuple[Subscription, float]]]] = {}
        order = {name: place for place, name in enumerate(self._catalog.subscriptions)}
        rows = zip(matches.event.tolist(), matches.subscription.tolist(), matches.degree.tolist(), strict=True)
        named = ((event, order[matches.names[number]], matches.names[number], degree) for event, number, degree in rows)
        for place, _, name, degree in sorted(named):
            subscription = self._catalog.subscriptions[name]
            found.setdefault(place, {}).setdefault(subscription.user, []).append((subscription, degree))
        deliveries: list[Delivery] = []
        for place, event in enumerate(events):
            at = self._journal.add(Moment(event.seq, event.time, None if clocks is None else clocks[place]), event)
            failed = {user: why for user, why in failures.get(place, {}).items() if self._is_served(user)}
            self._set_aside += rows_of_failed_match(event, failed)
            matched = found.get(place, {})
            for user, subscriber in self._subscribers.items():
                deliveries += deliveries_of(user, subscriber.publish(at, matched.get(user, ()), user not in failed))
            self._turn()
        return deliveries

    def advance(self, clock: datetime) -> list[Delivery]:
        """Advance the receiver's clock without an event; returns the deliveries of the periods that end."""
        place = self._journal.add(Moment(0, clock), None)
        deliveries = [
            delivery
            for user, subscriber in self._subscribers.items()
            for delivery in deliveries_of(user, subscriber.advance(place))
        ]
        self._turn()
        return deliveries

    @property
    def due(self) -> datetime | None:
        """When the clock ends a period with events to deliver, so that `advance` has work; None if never."""
        return min((due for one in self._subscribers.values() if (due := one.due) is not None), default=None)

    def close(self) -> list[Delivery]:
        """End the stream; returns the deliveries of unfinished periods."""
        return [
            delivery
            for user, subscriber in self._subscribers.items()
            for delivery in deliveries_of(user, subscriber.close())
        ]

    def take_set_aside(self, version: int = 0) -> list[SetAside]:
        """What was set aside since the last call, in order; `version` is the current version of the catalog."""
        taken, self._set_aside = self._set_aside, []
        return in_order(replace(row, version=version) for row in taken)

    def state(self) -> bytes:
        """The delivery state of all users, for `restore`."""
        states = self.states(self._subscribers)
        try:
            return pack_states(states)
        except Exception:  # caused by one user: save the users one by one to find which
            for user, state in states.items():
                try:
                    pack_states({user: state})
                except Exception as error:
                    self.put_out(user, error)
            return pack_states(self.states(self._subscribers))

    def states(self, users: Iterable[str]) -> dict[str, State]:
        """The delivery state of some users as plain data: a part of what `state` encodes."""
        return {user: self._subscribers[user].state() for user in users}

    def restore(self, state: bytes) -> None:
        """Continue from a saved `state`, with the same catalog."""
        self.restore_states(unpack_states(state))

    def restore_states(self, states: Mapping[str, State]) -> None:
        """Continue some users from their states, with the same catalog."""
        for user, state in states.items():
            subscriber = self._subscribers.get(user)
            if subscriber is not None and subscriber.is_out and subscriber.has_begun:
                subscriber = self._subscribers[user] = self._new(user, self._catalog)
            if subscriber is not None:
                subscriber.restore(state)

    def put_out(self, user: str, error: Exception) -> None:
        """Set a user aside because of an error elsewhere."""
        self._subscribers[user].leave(error)

    def _new(self, user: str, catalog: Catalog) -> IsolatedSubscriber:
        return IsolatedSubscriber(user, catalog, self._journal, self._note)

    def _note(self, row: SetAside) -> None:
        self._set_aside.append(row)

    def _is_served(self, user: str) -> bool:
        return user in self._subscribers and not self._subscribers[user].is_out

    def _turn(self) -> None:
        if self._journal.is_full:
            self._journal.turn(self._subscribers.values())

    def _make_matcher(self, without: frozenset[str]) -> None:
        catalog = self._catalog
        served = self._subscribers.keys() - without
        self._unmatched = without
        try:
            mine = [one for one in catalog.subscriptions.values() if one.user in served]
            self._matcher = OracleMatcher.of(catalog, mine, self._matcher)
        except Exception:  # caused by one user's subscription
            self._matcher = None

    def _found(self, event: Event) -> tuple[list[tuple[Subscription, float]], dict[str, str]]:
        """The matches of an event, and the users for whom matching failed, with the reason."""
        if self._matcher is not None:
            try:
                return list(self._matcher.match(event)), {}
            except Exception:
                out = frozenset(user for user, one in self._subscribers.items() if one.is_out)
                if out != self._unmatched:
                    self._make_matcher(out)
                    return self._found(event)
        if self._by_user is None:
            self._by_user = MatcherByUser(self._catalog)
        return self._by_user.match(event, [user for user, one in self._subscribers.items() if not one.is_out])

    def _matched(
        self, event: Event, admitted: Mapping[str, Collection[str]] | None
    ) -> tuple[dict[str, list[tuple[Subscription, float]]], Collection[str]]:
        """The matches by user, and the users for whom matching failed."""
        found, failures = self._found(event)
        self.matches += len(found)
        self._set_aside += rows_of_failed_match(event, failures)
        if event.advertisement is not None and admitted is None:
            try:
                found = self._admission.admitted(event, found)
            except Exception as error:
                self._note(SetAside(None, event.id, event.seq, 0, reason(error)))
                found = []
        elif event.advertisement is not None and admitted is not None:
            found = [pair for pair in found if pair[0].id in admitted.get(event.id, ())]
        matched: dict[str, list[tuple[Subscription, float]]] = {}
        for subscription, degree in found:
            matched.setdefault(subscription.user, []).append((subscription, degree))
        return matched, failures


def replay(catalog: Catalog, events: Sequence[Event]) -> list[Delivery]:
    """All deliveries for a finished stream, sorted by window, user and seq. The events are in publication order."""
    shard = Shard(catalog)
    deliveries = shard.publish(events) + shard.close()
    return sorted(deliveries, key=lambda delivery: delivery.order)
