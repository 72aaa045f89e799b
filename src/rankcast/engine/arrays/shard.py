"""The shard over arrays: does what `rankcast.engine.reference.shard.Shard` does, one batch at a time."""

from collections.abc import Callable, Collection, Iterable, Iterator, KeysView, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from types import MappingProxyType

import numpy as np

from rankcast.choose import Moment, Step
from rankcast.choose.positions import microseconds
from rankcast.engine.arrays.crowd_member import Member
from rankcast.engine.arrays.crowd_state import columns_of, folded_of_columns, restore_columns
from rankcast.engine.arrays.deliveries import DeliveryCollector, DeliveryColumns
from rankcast.engine.arrays.folded import fold, unfold
from rankcast.engine.arrays.matching import (
    Integers,
    MakeMatcher,
    Matches,
    Matching,
    Reals,
)
from rankcast.engine.arrays.roster import Roster
from rankcast.engine.arrays.served_users import Served, ServedUsers
from rankcast.engine.arrays.shard_matches import ShardMatches
from rankcast.engine.arrays.stream import BatchMoments, EventBatch
from rankcast.engine.arrays.table import EventTable
from rankcast.engine.isolation import (
    IsolatedSubscriber,
    in_order,
    rows_of_failed_match,
)
from rankcast.engine.named_events import EventSource, NamedEvents
from rankcast.engine.published import NamedMatches
from rankcast.engine.reference.subscriber import MANY_TO_COMPARE, Subscriber, deliveries_of, prepare_changes
from rankcast.engine.states import pack_states, unpack_states
from rankcast.model import Catalog, Delivery, Event, Match, SetAside
from rankcast.plain import State


class BatchShard:
    """Serves some of the users, with the interface and the results of `rankcast.engine.reference.shard.Shard`.

    Parameters
    ----------
    catalog
        The initial catalog; `update` replaces it.
    serves
        Which users this shard serves; by default all.
    matcher
        Builds the batch matcher, again for each catalog, or follows the catalog. By default, few subscriptions are
        evaluated one by one, and many are found through the compiled index, which is updated incrementally.
    is_live
        Whether events come a few at a time. The reference engine then serves large diverse windows, which is faster.

    All users are served together (`rankcast.engine.arrays.crowd.Crowd`), except for those with a policy that arrays do
    not support (`rankcast.engine.arrays.modes.suits`), whom the reference engine serves. The state has the format of
    `Shard`, and each can restore the other's. `publish` costs about 1 to 3 µs per match, more with diversity or a
    filter. `seq` must increase from event to event.

    After a failure over arrays, the reference engine serves the user from that batch on, until one of the user's
    records changes. Both engines therefore set the same things aside.
    """

    def __init__(
        self,
        catalog: Catalog,
        serves: Callable[[str], bool] = lambda user: True,
        matcher: MakeMatcher | Matching | None = None,
        is_live: bool = False,
    ) -> None:
        self._roster = Roster(serves)
        self._table = EventTable()
        self._set_aside: list[SetAside] = []
        self._served = ServedUsers(catalog, self._table, self._note, is_live)
        self._matched = ShardMatches(self._roster, self._served, matcher, self._note)
        self._unprepared: dict[str, None] = {}
        """The users with many subscriptions, some of which may not have been compared with the others."""
        self.matches = 0
        """The number of matches since the shard was created, or since `take_matches`."""
        self.roster_changes = 0
        """Increased whenever users come or go."""
        self._switch(catalog)

    @property
    def users(self) -> KeysView[str]:
        """The users of this shard, in order."""
        return self._served.users.keys()

    def update(self, catalog: Catalog) -> list[Delivery]:
        """Switch to another version of the catalog, from the next event on.

        Returns deliveries as `Shard.update` does.

        Costs about 0.1 µs per subscription of the catalog and 2 µs per user (see `Roster`), about 100 µs per
        affected user, and 6 µs per new one. New subscriptions of a user with many are compared with the others, which
        takes about 0.1 ms each among 10,000.
        """
        deliveries, users = self._switch(catalog)
        prepare_changes([user for user in users if catalog.count_of(user) >= MANY_TO_COMPARE], self._oracle)
        return deliveries

    def _switch(self, catalog: Catalog) -> tuple[list[Delivery], list[str]]:
        """Switch to another version of the catalog; returns the deliveries, and the users that it affects."""
        deliveries: list[Delivery] = []
        self._served.changed()
        changes = self._roster.update(catalog)
        before = len(self._served.users)
        known, new = self._served.users, list[str]()
        for user in changes.users:
            count = catalog.count_of(user)
            if count and user in known:
                deliveries += self._served.update(user, catalog)
            elif count:
                new.append(user)
            if count >= MANY_TO_COMPARE:
                self._unprepared[user] = None
        self._served.join(new, catalog)
        self._served.catalog = catalog
        came = len(self._served.users) > before
        gone = [user for user in changes.users if user in self._served.users and not catalog.count_of(user)]
        for user in gone:
            self._served.leave(self._served.users.pop(user))
        if came:
            self._served.users = {user: self._served.users[user] for user in sorted(self._served.users)}
        if came or gone:
            self.roster_changes += 1
        self._matched.update(changes, catalog)
        self._user_of, self._place_of = self._roster.columns(self._served.users)
        self._served.names = list(self._served.users)
        self._served.changed()
        return deliveries, changes.users

    def prepare(self, is_over: Callable[[], bool]) -> bool:
        """Do in advance what the next event would do for users with many subscriptions, until `is_over`.

        Returns whether all is done.
        """
        for user in list(self._unprepared):
            with suppress(Exception):  # the event that needs it reports the failure
                oracle = self._oracle(user)
                if oracle is not None and not oracle.prepare(is_over):
                    return False
            del self._unprepared[user]
        return True

    def _oracle(self, user: str) -> Subscriber | None:
        """The user in the reference engine, with or without what was published; None if the user is not served."""
        served = self._served.users.get(user)
        if served is None:
            return None
        return served.subscriber if isinstance(served, IsolatedSubscriber) else served.oracle

    def is_sound(self, user: str) -> bool:
        """Whether nothing has failed for a user since one of the user's records changed."""
        served = self._served.users.get(user)
        return not isinstance(served, IsolatedSubscriber) or served.is_sound

    def take_matches(self) -> int:
        """The number of matches since the last call."""
        count, self.matches = self.matches, 0
        return count

    def match(self, event: Event) -> Iterator[Match]:
        """The subscriptions of this shard that an event matches, in catalog order."""
        found, _ = self._matched.of([event])
        for place, degree in zip(found.subscription.tolist(), found.degree.tolist(), strict=True):
            subscription = self._roster.subscriptions[place]
            yield Match(event.id, subscription.id, subscription.user, degree)

    def publish(
        self,
        events: Sequence[Event],
        admitted: Mapping[str, Collection[str]] | None = None,
        clocks: Sequence[datetime] | None = None,
    ) -> list[Delivery]:
        """Serve the next events, in order of `seq`.

        Returns the deliveries that they cause, in the order of `Shard.publish`.

        `admitted` gives the subscriptions that each event under an advertisement goes to, and `clocks` the time at
        which each event was received, as in `Shard.publish`.
        """
        return self.publish_columns(events, admitted, clocks).records()

    def publish_columns(
        self,
        events: Sequence[Event],
        admitted: Mapping[str, Collection[str]] | None = None,
        clocks: Sequence[datetime] | None = None,
    ) -> DeliveryColumns:
        """The result of `publish` as columns, for callers with many deliveries that need no objects."""
        events = list(events)
        if not events:
            return DeliveryCollector(self._table, self._served.names).deliveries()
        matches, unmatched = self._matched.of(events)
        for place, failures in unmatched.items():
            self._set_aside += rows_of_failed_match(events[place], failures)
        self.matches += len(matches.event)
        if any(event.advertisement is not None for event in events):
            matches = self._matched.admit(events, matches, admitted)
        failed: dict[str, set[int]] = {}
        for place, failures in unmatched.items():
            for user in failures:
                failed.setdefault(user, set()).add(place)
        return self._deliver(events, matches, clocks, failed)

    def deliver(
        self,
        events: Sequence[Event],
        matches: Matches | NamedMatches,
        clocks: Sequence[datetime] | Integers | None = None,
        failures: Mapping[int, Mapping[str, str]] = MappingProxyType({}),
    ) -> DeliveryColumns:
        """Rank and choose among the given matches of the next events: `publish_columns` without matching.

        Parameters
        ----------
        events
            The events in order, or `PublishedEvents`.
        matches
            The matches, by slot or by name.
        clocks
            The time at which each event was received, also as microseconds.
        failures
            By the index of an event, the users for whom it could not be matched, with the reason.
        """
        if not events:
            return DeliveryCollector(self._table, self._served.names).deliveries()
        found = self._matched.by_slot(matches) if isinstance(matches, NamedMatches) else matches
        self.matches += len(found.event)
        failed: dict[str, set[int]] = {}
        for place, by_user in failures.items():
            own = {user: why for user, why in by_user.items() if self._served.is_served(user)}
            self._set_aside += rows_of_failed_match(events[place], own)
            for user in own:
                failed.setdefault(user, set()).add(place)
        return self._deliver(events, found, clocks, failed)

    def _deliver(
        self,
        events: Sequence[Event],
        matches: Matches,
        clocks: Sequence[datetime] | Integers | None,
        failed: Mapping[str, Collection[int]],
    ) -> DeliveryColumns:
        """Serve a batch with known matches.

        `failed` are the indexes of events that could not be matched for some users.
        """
        gathering = DeliveryCollector(self._table, self._served.names)
        if clocks is not None and not isinstance(clocks, np.ndarray):
            clocks = np.array([microseconds(clock) for clock in clocks], np.int64)
        stream = EventBatch(events, self._table, clocks)
        begun = self._served.journal.extend(BatchMoments(stream))
        from rankcast.engine.arrays.kernels.by_user import by_user

        borders = np.zeros(len(self._served.users) + 1, np.int64)
        at, places, order = by_user(matches.event, matches.subscription, self._user_of, self._place_of, borders)
        is_crisp = bool((matches.degree == 1.0).all())
        degrees = None if is_crisp else matches.degree[order]
        refused = self._publish_to_crowd(stream, borders, at, places, degrees, gathering, failed)
        numbers = {number for number, one in self._served.alone.items() if not one.is_out}
        numbers |= {number for number in self._served.alone if borders[number] < borders[number + 1]}
        numbers |= {*map(self._served.number, failed)}
        faulty: dict[str, IsolatedSubscriber] = {}
        for number in [*refused, *sorted(numbers.difference(refused))]:
            user, served = self._served.names[number], self._served.users[self._served.names[number]]
            own = slice(int(borders[number]), int(borders[number + 1]))
            isolated = self._served.isolated(user, served, begun)
            matched = self._matched.of_user(matches, order[own])
            triggers, made = list[int](), list[Delivery]()
            for place in range(len(events)):
                could_match = place not in failed.get(user, ())
                sent = deliveries_of(user, isolated.publish(begun + place, matched.get(place, ()), could_match))
                made += sent
                triggers += [place] * len(sent)
            gathering.add_records(user, np.array(triggers, np.int64), made)
            if isinstance(served, Member) and not self._served.takes_back(served, isolated):
                faulty[user] = isolated
        deliveries = gathering.deliveries()
        self._served.replace(faulty)
        self._served.turn()
        self._served.forget()
        return deliveries

    def advance(self, clock: datetime) -> list[Delivery]:
        """Advance the receiver's clock without an event; returns the deliveries of the periods that end."""
        return self.advance_columns(clock).records()

    def advance_columns(self, clock: datetime) -> DeliveryColumns:
        """The result of `advance` as columns."""
        gathering = DeliveryCollector(self._table, self._served.names)
        begun, time = self._served.journal.add(Moment(0, clock), None), microseconds(clock)
        members = partial(self._served.crowd.advance, time)
        self._end(members, lambda one: one.advance(begun), begun, gathering)
        deliveries = gathering.deliveries()
        self._served.turn()
        self._served.forget()
        return deliveries

    def _end(
        self,
        members: Callable[[Integers, DeliveryCollector], None],
        by_reference: Callable[[IsolatedSubscriber], list[Step]],
        begun: int,
        gathering: DeliveryCollector,
    ) -> None:
        """End periods of all users without an event, each in the way that they are served, and collect deliveries."""
        left: list[Served] = [*self._served.alone.values()]
        try:
            members(self._served.member_of, gathering)
        except Exception:  # the crowd is unchanged; the reference engine takes over and reports the failure
            left += [served for served in self._served.users.values() if isinstance(served, Member)]
        faulty: dict[str, IsolatedSubscriber] = {}
        for served in left:
            user = served.user
            isolated = self._served.isolated(user, served, begun)
            made = deliveries_of(user, by_reference(isolated))
            gathering.add_records(user, np.zeros(len(made), np.int64), made)
            if isinstance(served, Member) and not self._served.takes_back(served, isolated):
                faulty[user] = isolated
        self._served.replace(faulty)

    @property
    def due(self) -> datetime | None:
        """When the clock ends a period with events to deliver, so that `advance` has work; None if never."""
        return self._served.due

    def close(self) -> list[Delivery]:
        """End the stream; returns the deliveries of unfinished periods."""
        return self.close_columns().records()

    def close_columns(self) -> DeliveryColumns:
        """The result of `close` as columns."""
        gathering = DeliveryCollector(self._table, self._served.names)
        self._end(self._served.crowd.close, lambda one: one.close(), len(self._served.journal), gathering)
        deliveries = gathering.deliveries()
        self._served.forget()
        return deliveries

    def _note(self, row: SetAside) -> None:
        self._set_aside.append(row)

    def take_set_aside(self, version: int = 0) -> list[SetAside]:
        """What was set aside since the last call; `version` is the current version of the catalog."""
        taken, self._set_aside = self._set_aside, []
        return in_order(replace(row, version=version) for row in taken)

    def state(self) -> bytes:
        """The delivery state of all users, for `restore` here or of `Shard`."""
        states = self.states(self._served.users)
        try:
            return pack_states(states)
        except Exception:  # caused by one user: save the users one by one to find which
            for user, state in states.items():
                try:
                    pack_states({user: state})
                except Exception as error:
                    self._served.put_out(user, error)
            return pack_states(self.states(self._served.users))

    def states(self, users: Iterable[str]) -> dict[str, State]:
        """The delivery state of some users as plain data: a part of what `state` encodes."""
        return {user: self._served.state(self._served.users[user]) for user in users}

    def folded(self, users: Iterable[str], named: NamedEvents) -> State:
        """The delivery state of some users as plain data, which names events by `seq`.

        Users in the crowd are saved as columns (`rankcast.engine.arrays.crowd_state`), those with a filter and all others
        one by one (`rankcast.engine.arrays.folded`). The events are added to `named`.
        """
        served = {user: self._served.users[user] for user in users}
        members = [one for one in served.values() if isinstance(one, Member) and one.filter is None]
        together = {member.user for member in members}
        alone = {user: one for user, one in served.items() if user not in together}
        states = {user: fold(self._served.state(one), named) for user, one in alone.items()}
        return {"states": states, "columns": columns_of(self._served.crowd, members, self._table, named)}

    def restore_folded(self, folded: State, events: EventSource) -> None:
        """Continue from a folded state, with the same catalog."""
        states, columns = folded["states"], folded["columns"]
        members = [self._served.users.get(user) for user in columns["users"]] if columns else []
        together = [one for one in members if isinstance(one, Member) and one.filter is None]
        is_done = not members
        if members and len(together) == len(members):
            with suppress(Exception):  # caused by one of them
                restore_columns(self._served.crowd, together, columns, self._table, events)
                is_done = True
        if not is_done:
            states = {**states, **folded_of_columns(columns)}
        for user, state in states.items():
            if user in self._served.users:
                self._served.restore(user, unfold(state, events))
        self._served.changed()
        self._served.forget()

    def put_out(self, user: str, error: Exception) -> None:
        """Set a user aside because of an error elsewhere."""
        self._served.put_out(user, error)

    def restore(self, state: bytes) -> None:
        """Continue from a saved `state` of this or of `Shard`, with the same catalog."""
        self.restore_states(unpack_states(state))

    def restore_states(self, states: Mapping[str, State]) -> None:
        """Continue some users from their states, with the same catalog."""
        for user, state in states.items():
            if user in self._served.users:
                self._served.restore(user, state)
        self._served.changed()
        self._served.forget()

    def _publish_to_crowd(
        self,
        stream: EventBatch,
        borders: Integers,
        at: Integers,
        places: Integers,
        degrees: Reals | None,
        gathering: DeliveryCollector,
        failed: Collection[str],
    ) -> list[int]:
        """Serve a batch to the crowd.

        Returns the users that the reference engine must serve: all of them if the crowd fails.
        """
        if not len(self._served.crowd):
            return []
        members = self._served.member_of
        alone: list[int] = [number for number in map(self._served.number, failed) if members[number] >= 0]
        if alone:
            members = members.copy()
            members[alone] = -1
        try:
            return alone + self._served.crowd.publish(stream, members, borders, at, places, degrees, gathering)
        except Exception:  # the crowd is unchanged; the reference engine serves the batch and reports the failure
            served: list[int] = np.flatnonzero(self._served.member_of >= 0).tolist()
            return served
