"""The shard over arrays: what `rankcast.shard.Shard` does, a batch at a time."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from rankcast.batch.crowd import Crowd, Member, joins
from rankcast.batch.crowd_state import columns_of, folded_of_columns, restore_columns, restore_member, state_of
from rankcast.batch.deliveries import Deliveries, Gathering
from rankcast.batch.filtered_user import EventKeys, FilteredUser
from rankcast.batch.folded import folded_state, restore_folded, unfold
from rankcast.batch.matching import BySize, Integers, MadeAnew, MakeMatcher, Matches, Matching
from rankcast.batch.modes import suits
from rankcast.batch.quiet import Quiet
from rankcast.batch.roster import Roster
from rankcast.batch.stream import Stream
from rankcast.batch.table import EventTable
from rankcast.batch.user import ArrayUser, deliveries_of, serve_one_by_one
from rankcast.choose.filters.fast import array_filter
from rankcast.model import Catalog, Delivery, Event, Match, SetAside, Subscription
from rankcast.overlay import Admission
from rankcast.shard import Shard
from rankcast.states import pack_states, unpack_states
from rankcast.subscriber import Subscriber

__all__ = ["BatchShard", "shard_for"]

Served: TypeAlias = ArrayUser | Member | Subscriber
"""A user as the shard serves them: over arrays, in the crowd, or by the oracle."""

_FEW, _LITTLE = 2_000, 1_000_000
"""Fewer events, and fewer pairs of an event and a subscription, are soon evaluated one by one: a pair takes some 2 µs."""


class BatchShard:
    """All that is needed to serve some of the users, with the interface and the results of `rankcast.shard.Shard`.

    Parameters
    ----------
    catalog
        The catalog to begin with; `update` brings a later one.
    serves
        Which users live here; all by default.
    matcher
        Makes what matches a batch, for each catalog anew. By default few subscriptions are asked one by one and many are
        found through the compiled index, which takes changes one by one.

    Users whose policy arrays cannot serve (`rankcast.batch.modes.suits`) are served by the oracle, in their turn. The state
    is that of `Shard`, either takes the other's. `publish` costs some 0.3 µs per match of users whose windows
    slide by rank (see `Crowd`). For others it costs some 50 µs per batch and user whom it concerns (see `Quiet`), then about 0.2 µs per
    matching event (more with diversity), so batches of hundreds of events and more pay. `seq` must rise from event to event.
    """

    def __init__(
        self,
        catalog: Catalog,
        serves: Callable[[str], bool] = lambda user: True,
        matcher: MakeMatcher | None = None,
    ) -> None:
        self._roster = Roster(serves)
        self._matching: Matching = BySize() if matcher is None else MadeAnew(matcher)
        self._table = EventTable()
        self._keys = EventKeys()
        self._crowd = Crowd(self._table)
        self._users: dict[str, Served] = {}
        self._names: list[str] = []
        self._member_of: Integers = np.empty(0, np.int64)
        self._quiet: Quiet | None = None
        self._enough = 0
        self._admission: Admission
        self.matches = 0
        """How many matches were found since the shard was made."""
        self._set_aside: list[SetAside] = []
        self.update(catalog)

    @property
    def users(self) -> Collection[str]:
        """Those who live here, in order."""
        return self._users.keys()

    def update(self, catalog: Catalog) -> list[Delivery]:
        """Go on with another version of the catalog, from the next event on; deliveries as of `Shard.update`.

        Costs some 0.1 µs per subscription of the catalog and 2 µs per user (see `Roster`), and some 100 µs per user whom it concerns.
        """
        deliveries: list[Delivery] = []
        self._quiet = None
        changes = self._roster.update(catalog)
        before = len(self._users)
        for user in changes.users:
            if catalog.subscriptions_of(user):
                deliveries += self._update_user(user, catalog)
        came = len(self._users) > before
        for user in changes.users:
            if user in self._users and not catalog.subscriptions_of(user):
                self._leave(self._users.pop(user))
        if came:
            self._users = dict(sorted(self._users.items()))
        self._matching.update(self._roster, changes, catalog)
        self._admission = Admission(catalog)
        self._user_of, self._place_of = self._roster.columns(self._users)
        self._names = list(self._users)
        numbers = [served.number if isinstance(served, Member) else -1 for served in self._users.values()]
        self._member_of = np.array(numbers, np.int64)
        return deliveries

    def match(self, event: Event) -> Iterator[Match]:
        """The subscriptions of this shard that an event matches, in the order of the catalog."""
        found = self._matching.match_batch([event])
        for place, degree in zip(found.subscription.tolist(), found.degree.tolist(), strict=True):
            subscription = self._roster.subscriptions[place]
            yield Match(event.id, subscription.id, subscription.user, degree)

    def publish(self, events: Sequence[Event], admitted: Mapping[str, Collection[str]] | None = None) -> list[Delivery]:
        """Serve the next events, in order of `seq`; the deliveries that they cause, in the order of `Shard.publish`.

        `admitted` says to which subscriptions each event under an advertisement goes, as for `Shard.publish`.
        """
        return self.publish_columns(events, admitted).records()

    def publish_columns(
        self, events: Sequence[Event], admitted: Mapping[str, Collection[str]] | None = None
    ) -> Deliveries:
        """What `publish` gives, as columns: for who stores or passes on many deliveries, and wants no objects."""
        events = list(events)
        if not events:
            return Gathering(self._table).deliveries()
        matches = self._matching.match_batch(events)
        if any(event.advertisement is not None for event in events):
            matches = self._admit(events, matches, admitted)
        return self.deliver(events, matches)

    def deliver(self, events: Sequence[Event], matches: Matches) -> Deliveries:
        """Rank and choose among the given matches of the next events: `publish_columns` without its first step."""
        self.matches += len(matches.event)
        gathering = Gathering(self._table)
        stream = Stream(events, self._table)
        from rankcast.batch.kernels.by_user import by_user

        borders = np.zeros(len(self._users) + 1, np.int64)
        at, places, order = by_user(matches.event, matches.subscription, self._user_of, self._place_of, borders)
        is_crisp = bool((matches.degree == 1.0).all())
        degrees = None if is_crisp else matches.degree[order]
        refused = list[int]()
        if len(self._crowd):
            refused = self._crowd.publish(stream, self._names, self._member_of, borders, at, places, degrees, gathering)
        quiet = self._quiet = self._quiet or Quiet(self._users.items())
        visited = quiet.visited(stream, borders)
        for number in refused + [quiet.numbers[place] for place in visited]:
            user, served = self._names[number], self._users[self._names[number]]
            own = slice(int(borders[number]), int(borders[number + 1]))
            if isinstance(served, ArrayUser):
                served.publish(stream, at[own], places[own], None if degrees is None else degrees[own], gathering)
                continue
            oracle = self._oracle(served)
            matched = self._matched(matches, order[own])
            gathering.add_records(user, *serve_one_by_one(user, oracle, events, matched))
            if isinstance(served, Member):
                restore_member(self._crowd, served, oracle.state(), self._table)
        deliveries = gathering.deliveries()
        quiet.settle(visited)
        self._forget()
        return deliveries

    def close(self) -> list[Delivery]:
        """End of the stream: what unfinished periods still owe."""
        return self.close_columns().records()

    def close_columns(self) -> Deliveries:
        """What `close` gives, as columns."""
        gathering = Gathering(self._table)
        for user, served in self._users.items():
            if isinstance(served, ArrayUser):
                served.close(gathering)
            elif isinstance(served, Subscriber):
                made = [made for step in served.close() for made in deliveries_of(user, step)]
                gathering.add_records(user, np.zeros(len(made), np.int64), made)
        deliveries = gathering.deliveries()
        self._forget()
        return deliveries

    def take_set_aside(self, version: int = 0) -> list[SetAside]:
        """What could not be served since this was asked last; `version` is that of the catalog in effect."""
        taken, self._set_aside = self._set_aside, []
        return [replace(row, version=version) for row in taken]

    def state(self) -> bytes:
        """The delivery state of all users, for `restore` here or of `Shard`."""
        return pack_states(self.states(self._users))

    def states(self, users: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The delivery state of some users as plain data: a part of what `state` encodes."""
        return {user: self._state(self._users[user]) for user in users}

    def folded(self, users: Iterable[str], events: dict[int, Event], since: int) -> dict[str, Any]:
        """The delivery state of some users as plain data, which names events by `seq`: of users in the crowd as columns
        (`rankcast.batch.crowd_state`), of others one by one (`rankcast.batch.folded`).

        The events that it names are put into `events`, each once; of those from `since` on, which the caller has elsewhere, the
        first at least.
        """
        served = [(user, self._users[user]) for user in users]
        members = [one for _, one in served if isinstance(one, Member)]
        states = {user: folded_state(one, self._table, events) for user, one in served if not isinstance(one, Member)}
        return {"states": states, "columns": columns_of(self._crowd, members, self._table, events, since)}

    def restore_folded(self, folded: Mapping[str, Any], events: Mapping[int, Event]) -> None:
        """Go on where a folded state was taken, with the same catalog."""
        self._quiet = None
        states, columns = folded["states"], folded["columns"]
        members = [self._users.get(user) for user in columns["users"]] if columns else []
        together = [one for one in members if isinstance(one, Member)]
        if members and len(together) == len(members):
            restore_columns(self._crowd, together, columns, self._table, events)
        elif members:
            states = {**states, **folded_of_columns(columns)}
        for user, state in states.items():
            served = self._users.get(user)
            if isinstance(served, Member):
                self._restore(served, unfold(state, events))
            elif served is not None:
                restore_folded(served, state, self._table, events)
        self._forget()

    def restore(self, state: bytes) -> None:
        """Go on where `state` was taken, here or by `Shard`, with the same catalog."""
        users: dict[str, dict[str, Any]] = unpack_states(state)
        self._quiet = None
        for user in users:
            if user in self._users:
                self._restore(self._users[user], users[user])
        self._forget()

    def _update_user(self, user: str, catalog: Catalog) -> list[Delivery]:
        served = self._users.get(user)
        if served is None:
            self._users[user] = self._serve(user, catalog, Subscriber(user, catalog))
            return []
        if (served if isinstance(served, Subscriber) else served.oracle).is_current(catalog):
            return []
        oracle = self._oracle(served)
        owed = oracle.update(catalog)
        self._leave(served)
        self._users[user] = new = self._serve(user, catalog, oracle)
        if not isinstance(new, Subscriber):
            self._restore(new, oracle.state())
        return [made for step in owed for made in deliveries_of(user, step)]

    def _serve(self, user: str, catalog: Catalog, oracle: Subscriber) -> Served:
        """The user over arrays if both the mode and the filter can be, else the oracle."""
        policy = catalog.policy_of(user)
        if not suits(policy):
            return oracle
        if joins(policy, len(catalog.subscriptions_of(user))):
            member = Member(user, catalog, oracle)
            self._crowd.add(member)
            return member
        if policy.filter is None:
            return ArrayUser(user, catalog, oracle, self._table)
        ids = [one.id for one in catalog.subscriptions_of(user)]
        made = array_filter(user, policy.filter, ids, policy.decay, policy.origin)
        return oracle if made is None else FilteredUser(user, catalog, oracle, self._table, made, self._keys)

    def _leave(self, served: Served) -> None:
        if isinstance(served, Member):
            self._crowd.remove(served)

    def _state(self, served: Served) -> dict[str, Any]:
        return state_of(self._crowd, served, self._table) if isinstance(served, Member) else served.state()

    def _restore(self, served: Served, state: dict[str, Any]) -> None:
        if isinstance(served, Member):
            restore_member(self._crowd, served, state, self._table)
        else:
            served.restore(state)

    def _oracle(self, served: Served) -> Subscriber:
        """The oracle of a user, as the user is now."""
        if isinstance(served, Subscriber):
            return served
        served.oracle.restore(self._state(served))
        return served.oracle

    def _admit(
        self, events: Sequence[Event], matches: Matches, admitted: Mapping[str, Collection[str]] | None
    ) -> Matches:
        """The matches without those that the publishers' advertisements rule out."""
        keep = np.ones(len(matches.event), bool)
        bounds = np.searchsorted(matches.event, np.arange(len(events) + 1)).tolist()
        for place, event in enumerate(events):
            if event.advertisement is None:
                continue
            own = slice(bounds[place], bounds[place + 1])
            found = [self._roster.subscriptions[number] for number in matches.subscription[own].tolist()]
            if admitted is None:
                pairs = list(zip(found, matches.degree[own].tolist(), strict=True))
                chosen: Collection[str] = {each.id for each, _ in self._admission.admitted(event, pairs)}
            else:
                chosen = admitted.get(event.id, ())
            keep[own] = [subscription.id in chosen for subscription in found]
        return Matches(matches.event[keep], matches.subscription[keep], matches.degree[keep])

    def _matched(self, matches: Matches, places: Integers) -> dict[int, list[tuple[Subscription, float]]]:
        matched: dict[int, list[tuple[Subscription, float]]] = {}
        for place in places.tolist():
            subscription = self._roster.subscriptions[int(matches.subscription[place])]
            matched.setdefault(int(matches.event[place]), []).append((subscription, float(matches.degree[place])))
        return matched

    def _forget(self) -> None:
        if len(self._table) <= self._enough:
            return
        rows = [served.oldest_row for served in self._users.values() if isinstance(served, ArrayUser)]
        if len(self._crowd):
            rows.append(self._crowd.oldest_row())
        self._table.forget(min(rows, default=self._table.next_row))
        self._enough = 2 * len(self._table) + len(self._users) // 100  # looking costs 2 µs per user


def shard_for(events: int, catalog: Catalog, serves: Callable[[str], bool] = lambda user: True) -> Shard | BatchShard:
    """The shard that serves so many events soonest; either gives the same.

    Few events are with few users before the kernels are loaded, which takes a second or two (and, the first time on a
    machine, some ten to compile them).
    """
    is_little = events < _FEW and events * len(catalog.subscriptions) < _LITTLE
    return Shard(catalog, serves) if is_little else BatchShard(catalog, serves)
