"""The shard over arrays: does what `rankcast.engine.reference.shard.Shard` does, one batch at a time."""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, KeysView, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from rankcast.choose import Moment, Step
from rankcast.choose.positions import instant, microseconds
from rankcast.engine.arrays.crowd import Crowd
from rankcast.engine.arrays.crowd_member import Member, joins
from rankcast.engine.arrays.crowd_state import columns_of, folded_of_columns, restore_columns, restore_member, state_of
from rankcast.engine.arrays.deliveries import DeliveryCollector, DeliveryColumns
from rankcast.engine.arrays.filtered_user import EventKeys, FilteredUser
from rankcast.engine.arrays.filters import array_filter
from rankcast.engine.arrays.folded import folded_state, restore_folded, unfold
from rankcast.engine.arrays.matching import (
    Integers,
    MakeMatcher,
    Matches,
    Matching,
    MatchingBySize,
    Reals,
    RebuiltMatching,
)
from rankcast.engine.arrays.modes import suits
from rankcast.engine.arrays.quiet import VisitSchedule
from rankcast.engine.arrays.roster import Roster, RosterChanges
from rankcast.engine.arrays.stream import BatchMoments, EventBatch
from rankcast.engine.arrays.table import EventTable
from rankcast.engine.arrays.user import ArrayUser, deliveries_of
from rankcast.engine.isolation import (
    IsolatedSubscriber,
    MatcherByUser,
    RecentMoments,
    in_order,
    reason,
    rows_of_failed_match,
)
from rankcast.engine.named_events import EventSource, NamedEvents
from rankcast.engine.published import NamedMatches
from rankcast.engine.reference.subscriber import Subscriber
from rankcast.engine.states import pack_states, unpack_states
from rankcast.model import Catalog, Delivery, Event, Match, Mode, Policy, SetAside, Subscription, Unit
from rankcast.overlay import Admission
from rankcast.plain import State

__all__ = ["BatchShard"]

Served: TypeAlias = ArrayUser | Member | IsolatedSubscriber
"""How the shard serves a user: over arrays, in the crowd, or with the reference engine (also after a failure)."""

_MANY = 500
"""Subscriptions of one user from which on the first event that matches all takes more than some 50 ms."""


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

    The reference engine serves users with a policy that arrays do not support (`rankcast.engine.arrays.modes.suits`).
    The state has the format of `Shard`, and each can restore the other's. `publish` costs about 1 to 3 µs per match of
    users in the crowd (`rankcast.engine.arrays.crowd_member.joins`), more with diversity. For others, it costs about
    50 µs per batch and affected user (see `VisitSchedule`), and about 0.2 µs per matching event, so it is efficient for
    batches of hundreds of events or more. `seq` must increase from event to event.

    After a failure over arrays, the reference engine serves the user from that batch on, until one of the user's
    records changes. Both engines therefore set the same things aside.
    """

    def __init__(
        self,
        catalog: Catalog,
        serves: Callable[[str], bool] = lambda user: True,
        matcher: MakeMatcher | Matching | None = None,
    ) -> None:
        self._roster = Roster(serves)
        self._catalog = catalog
        self._journal = RecentMoments()
        self._make_matcher = matcher
        self._matching: Matching = self._make_matching()
        self._is_matching = True
        """Whether the shared matcher could be built; if not, each user is matched separately."""
        self._table = EventTable()
        self._keys = EventKeys()
        self._crowd = Crowd(self._table)
        self._users: dict[str, Served] = {}
        self._names: list[str] = []
        self._numbers_of_members: Integers | None = None
        self._quiet: VisitSchedule | None = None
        self._by_user: MatcherByUser | None = None
        self._timed: list[ArrayUser | IsolatedSubscriber] | None = None
        """The users with periods that the clock may end."""
        self._enough = 0
        self._unprepared: dict[str, None] = {}
        """The users with many subscriptions, some of which may not have been compared with the others."""
        self._admission: Admission
        self.matches = 0
        """The number of matches since the shard was created, or since `take_matches`."""
        self.roster_changes = 0
        """Increased whenever users come or go."""
        self._set_aside: list[SetAside] = []
        self.update(catalog)

    @property
    def users(self) -> KeysView[str]:
        """The users of this shard, in order."""
        return self._users.keys()

    def update(self, catalog: Catalog) -> list[Delivery]:
        """Switch to another version of the catalog, from the next event on.

        Returns deliveries as `Shard.update` does.

        Costs about 0.1 µs per subscription of the catalog and 2 µs per user (see `Roster`), and about 100 µs per
        affected user.
        """
        deliveries: list[Delivery] = []
        self._quiet = self._timed = self._by_user = None
        changes = self._roster.update(catalog)
        before = len(self._users)
        for user in changes.users:
            if count := len(catalog.subscriptions_of(user)):
                deliveries += self._update_user(user, catalog)
            if count >= _MANY:
                self._unprepared[user] = None
        self._catalog = catalog
        came = len(self._users) > before
        gone = [user for user in changes.users if user in self._users and not catalog.subscriptions_of(user)]
        for user in gone:
            self._leave(self._users.pop(user))
        if came:
            self._users = dict(sorted(self._users.items()))
        if came or gone:
            self.roster_changes += 1
        self._update_matching(changes, catalog)
        self._admission = Admission(catalog)
        self._user_of, self._place_of = self._roster.columns(self._users)
        self._names = list(self._users)
        self._numbers_of_members = None
        return deliveries

    def prepare(self, is_over: Callable[[], bool]) -> bool:
        """Do in advance what the next event would do for users with many subscriptions, until `is_over`.

        Returns whether all is done.
        """
        for user in list(self._unprepared):
            served = self._users.get(user)
            if served is not None:
                oracle = served.subscriber if isinstance(served, IsolatedSubscriber) else served.oracle
                with suppress(Exception):  # the event that needs it reports the failure
                    if oracle is not None and not oracle.prepare(is_over):
                        return False
            del self._unprepared[user]
        return True

    def take_matches(self) -> int:
        """The number of matches since the last call."""
        count, self.matches = self.matches, 0
        return count

    def match(self, event: Event) -> Iterator[Match]:
        """The subscriptions of this shard that an event matches, in catalog order."""
        found, _ = self._matches([event])
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
            return DeliveryCollector(self._table, self._names).deliveries()
        matches, unmatched = self._matches(events)
        for place, failures in unmatched.items():
            self._set_aside += rows_of_failed_match(events[place], failures)
        self.matches += len(matches.event)
        if any(event.advertisement is not None for event in events):
            matches = self._admit(events, matches, admitted)
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
            return DeliveryCollector(self._table, self._names).deliveries()
        found = self._by_slot(matches) if isinstance(matches, NamedMatches) else matches
        self.matches += len(found.event)
        failed: dict[str, set[int]] = {}
        for place, by_user in failures.items():
            own = {user: why for user, why in by_user.items() if self._is_served(user)}
            self._set_aside += rows_of_failed_match(events[place], own)
            for user in own:
                failed.setdefault(user, set()).add(place)
        return self._deliver(events, found, clocks, failed)

    def _by_slot(self, matches: NamedMatches) -> Matches:
        slots = np.array([self._roster.slot_of[name] for name in matches.names], np.int64)[matches.subscription]
        pair = (matches.event << 32) | slots
        if (np.diff(pair) > 0).all():  # as they come if the catalogs have the same order
            return Matches(matches.event, slots, matches.degree)
        order = np.argsort(pair)
        return Matches(matches.event[order], slots[order], matches.degree[order])

    def _is_served(self, user: str) -> bool:
        served = self._users.get(user)
        return served is not None and not (isinstance(served, IsolatedSubscriber) and served.is_out)

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
        gathering = DeliveryCollector(self._table, self._names)
        if clocks is not None and not isinstance(clocks, np.ndarray):
            clocks = np.array([microseconds(clock) for clock in clocks], np.int64)
        stream = EventBatch(events, self._table, clocks)
        begun = self._journal.extend(BatchMoments(stream))
        from rankcast.engine.arrays.kernels.by_user import by_user

        borders = np.zeros(len(self._users) + 1, np.int64)
        at, places, order = by_user(matches.event, matches.subscription, self._user_of, self._place_of, borders)
        is_crisp = bool((matches.degree == 1.0).all())
        degrees = None if is_crisp else matches.degree[order]
        refused = self._publish_to_crowd(stream, borders, at, places, degrees, gathering, failed)
        quiet = self._quiet = self._quiet or VisitSchedule(self._users.items())
        visited = quiet.visited(stream, borders)
        faulty: dict[str, IsolatedSubscriber] = {}
        numbers = {quiet.numbers[place] for place in visited} | {*map(self._number, failed)}
        for number in [*refused, *sorted(numbers.difference(refused))]:
            user, served = self._names[number], self._users[self._names[number]]
            own = slice(int(borders[number]), int(borders[number + 1]))
            if isinstance(served, ArrayUser):
                own_degrees = None if degrees is None else degrees[own]
                if user not in failed and self._publish_to(
                    served, stream, at[own], places[own], own_degrees, gathering
                ):
                    continue
            isolated = self._isolated(user, served, begun)
            matched = self._matched(matches, order[own])
            triggers, made = list[int](), list[Delivery]()
            for place in range(len(events)):
                could_match = place not in failed.get(user, ())
                for step in isolated.publish(begun + place, matched.get(place, ()), could_match):
                    sent = deliveries_of(user, step)
                    made += sent
                    triggers += [place] * len(sent)
            gathering.add_records(user, np.array(triggers, np.int64), made)
            if not isinstance(served, IsolatedSubscriber) and not self._takes_back(served, isolated):
                faulty[user] = isolated
        deliveries = gathering.deliveries()
        quiet.settle(visited)
        self._replace(faulty)
        self._turn()
        self._forget()
        return deliveries

    def advance(self, clock: datetime) -> list[Delivery]:
        """Advance the receiver's clock without an event; returns the deliveries of the periods that end."""
        return self.advance_columns(clock).records()

    def advance_columns(self, clock: datetime) -> DeliveryColumns:
        """The result of `advance` as columns."""
        gathering = DeliveryCollector(self._table, self._names)
        begun, time = self._journal.add(Moment(0, clock), None), microseconds(clock)
        members = partial(self._crowd.advance, time)
        self._end(members, lambda one: one.advance(time, gathering), lambda one: one.advance(begun), begun, gathering)
        deliveries = gathering.deliveries()
        self._turn()
        self._forget()
        return deliveries

    def _end(
        self,
        members: Callable[[Integers, DeliveryCollector], None],
        over_arrays: Callable[[ArrayUser], None],
        by_reference: Callable[[IsolatedSubscriber], list[Step]],
        begun: int,
        gathering: DeliveryCollector,
    ) -> None:
        """End periods of all users without an event, each in the way that they are served, and collect deliveries."""
        left: list[tuple[str, Served]] = list(self._alone())
        try:
            members(self._member_of, gathering)
        except Exception:  # the crowd is unchanged; the reference engine takes over and reports the failure
            left += [(user, served) for user, served in self._users.items() if isinstance(served, Member)]
        faulty: dict[str, IsolatedSubscriber] = {}
        for user, served in left:
            if isinstance(served, ArrayUser):
                before = served.copy(matches=False)
                try:
                    over_arrays(served)
                    continue
                except Exception:
                    served.go_back(before)
            isolated = self._isolated(user, served, begun)
            made = [made for step in by_reference(isolated) for made in deliveries_of(user, step)]
            gathering.add_records(user, np.zeros(len(made), np.int64), made)
            if not isinstance(served, IsolatedSubscriber) and not self._takes_back(served, isolated):
                faulty[user] = isolated
        self._replace(faulty)

    @property
    def due(self) -> datetime | None:
        """When the clock ends a period with events to deliver, so that `advance` has work; None if never."""
        if self._timed is None:
            self._timed = [one for user, one in self._alone() if _is_timed(self._catalog.policy_of(user))]
        found = [self._crowd.due, *(one.due for one in self._timed)]
        times = [instant(due) if isinstance(due, int) else due for due in found if due is not None]
        return min(times, default=None)

    def close(self) -> list[Delivery]:
        """End the stream; returns the deliveries of unfinished periods."""
        return self.close_columns().records()

    def close_columns(self) -> DeliveryColumns:
        """The result of `close` as columns."""
        gathering = DeliveryCollector(self._table, self._names)
        self._end(
            self._crowd.close, lambda one: one.close(gathering), lambda one: one.close(), len(self._journal), gathering
        )
        deliveries = gathering.deliveries()
        self._forget()
        return deliveries

    def take_set_aside(self, version: int = 0) -> list[SetAside]:
        """What was set aside since the last call; `version` is the current version of the catalog."""
        taken, self._set_aside = self._set_aside, []
        return in_order(replace(row, version=version) for row in taken)

    def state(self) -> bytes:
        """The delivery state of all users, for `restore` here or of `Shard`."""
        states = self.states(self._users)
        try:
            return pack_states(states)
        except Exception:  # caused by one user: save the users one by one to find which
            for user, state in states.items():
                try:
                    pack_states({user: state})
                except Exception as error:
                    self.put_out(user, error)
            return pack_states(self.states(self._users))

    def states(self, users: Iterable[str]) -> dict[str, State]:
        """The delivery state of some users as plain data: a part of what `state` encodes."""
        return {user: self._state(self._users[user]) for user in users}

    def folded(self, users: Iterable[str], named: NamedEvents) -> State:
        """The delivery state of some users as plain data, which names events by `seq`.

        Users in the crowd are saved as columns (`rankcast.engine.arrays.crowd_state`), others one by one
        (`rankcast.engine.arrays.folded`). The events are added to `named`.
        """
        served = [(user, self._users[user]) for user in users]
        members = [one for _, one in served if isinstance(one, Member)]
        states = {user: folded_state(one, self._table, named) for user, one in served if not isinstance(one, Member)}
        return {"states": states, "columns": columns_of(self._crowd, members, self._table, named)}

    def restore_folded(self, folded: State, events: EventSource) -> None:
        """Continue from a folded state, with the same catalog."""
        self._quiet = self._timed = None
        states, columns = folded["states"], folded["columns"]
        members = [self._users.get(user) for user in columns["users"]] if columns else []
        together = [one for one in members if isinstance(one, Member)]
        is_done = not members
        if members and len(together) == len(members):
            with suppress(Exception):  # caused by one of them
                restore_columns(self._crowd, together, columns, self._table, events)
                is_done = True
        if not is_done:
            states = {**states, **folded_of_columns(columns)}
        for user, state in states.items():
            served = self._users.get(user)
            if isinstance(served, ArrayUser) and "failed" not in state and "set_aside" not in state:
                with suppress(Exception):  # the reference engine reports the failure
                    restore_folded(served, state, self._table, events)
                    continue
            if served is not None:
                self._restore_user(user, unfold(state, events))
        self._numbers_of_members = None
        self._forget()

    def restore(self, state: bytes) -> None:
        """Continue from a saved `state` of this or of `Shard`, with the same catalog."""
        self.restore_states(unpack_states(state))

    def restore_states(self, states: Mapping[str, State]) -> None:
        """Continue some users from their states, with the same catalog."""
        self._quiet = self._timed = None
        for user, state in states.items():
            if user in self._users:
                self._restore_user(user, state)
        self._numbers_of_members = None
        self._forget()

    def _restore_user(self, user: str, state: State) -> None:
        """Continue a user from a saved state.

        The user is served over arrays, unless something has failed there or reading the state fails.
        """
        served = self._users[user]
        if isinstance(served, IsolatedSubscriber) and served.has_begun and not served.is_sound:
            isolated = IsolatedSubscriber(user, self._catalog, self._journal, self._note)
            self._users[user] = served = self._serve(user, self._catalog, isolated)
        if not isinstance(served, IsolatedSubscriber):
            if "failed" not in state and "set_aside" not in state:
                with suppress(Exception):  # the reference engine reports the failure
                    self._restore(served, state)
                    return
            isolated = IsolatedSubscriber(user, self._catalog, self._journal, self._note)
            self._leave(served)
            self._users[user] = served = isolated
        served.restore(state)

    def _update_user(self, user: str, catalog: Catalog) -> list[Delivery]:
        served = self._users.get(user)
        if served is None:
            made = IsolatedSubscriber(user, catalog, self._journal, self._note)
            self._users[user] = self._serve(user, catalog, made)
            return []
        if (served if isinstance(served, IsolatedSubscriber) else served.oracle).is_current(catalog):
            return []
        isolated = self._isolated(user, served, len(self._journal))
        owed = isolated.update(catalog)
        self._leave(served)
        self._users[user] = new = self._serve(user, catalog, isolated)
        if not isinstance(new, IsolatedSubscriber):
            try:
                self._restore(new, isolated.state())
            except Exception:  # arrays may fail where the reference engine does not
                self._leave(new)
                self._users[user] = isolated
        return [made for step in owed for made in deliveries_of(user, step)]

    def _serve(self, user: str, catalog: Catalog, isolated: IsolatedSubscriber) -> Served:
        """The user over arrays if they support the mode and the filter, and otherwise in the reference engine.

        The reference engine also serves the user if something fails.
        """
        oracle = isolated.subscriber
        if oracle is None or not isolated.is_sound:
            return isolated
        try:
            return self._over_arrays(user, catalog, oracle) or isolated
        except Exception:  # arrays may fail where the reference engine does not
            return isolated

    def _over_arrays(self, user: str, catalog: Catalog, oracle: Subscriber) -> ArrayUser | Member | None:
        policy = catalog.policy_of(user)
        if not suits(policy):
            return None
        if joins(policy, len(catalog.subscriptions_of(user))):
            member = Member(user, catalog, oracle)
            self._crowd.add(member)
            return member
        if policy.filter is None:
            return ArrayUser(user, catalog, oracle, self._table)
        ids = [one.id for one in catalog.subscriptions_of(user)]
        made = array_filter(user, policy.filter, ids, policy.decay, policy.origin)
        return None if made is None else FilteredUser(user, catalog, oracle, self._table, made, self._keys)

    def _leave(self, served: Served) -> None:
        if isinstance(served, Member):
            self._crowd.remove(served)

    def _state(self, served: Served) -> State:
        return state_of(self._crowd, served, self._table) if isinstance(served, Member) else served.state()

    def _restore(self, served: Served, state: State) -> None:
        if isinstance(served, Member):
            restore_member(self._crowd, served, state, self._table)
        else:
            served.restore(state)

    def _isolated(self, user: str, served: Served, since: int) -> IsolatedSubscriber:
        """The user in the reference engine, with the current state, which is at place `since` of the journal."""
        if isinstance(served, IsolatedSubscriber):
            return served
        isolated = IsolatedSubscriber(user, self._catalog, self._journal, self._note, served.oracle.renewed(), since)
        try:
            state = self._state(served)
        except Exception as error:
            isolated.leave(error)
            return isolated
        isolated.restore(state)
        isolated.remember(since)
        return isolated

    def _takes_back(self, served: ArrayUser | Member, isolated: IsolatedSubscriber) -> bool:
        """Whether arrays can take over a user from the reference engine. Users with a failure stay there."""
        if not isolated.is_sound:
            return False
        try:
            self._restore(served, isolated.state())
        except Exception:
            return False
        return True

    def _replace(self, faulty: Mapping[str, IsolatedSubscriber]) -> None:
        """Serve these users with the reference engine from now on."""
        for user, isolated in faulty.items():
            self._leave(self._users[user])
            self._users[user] = isolated
        if faulty:
            self._quiet = self._timed = None
            self._numbers_of_members = None

    def put_out(self, user: str, error: Exception) -> None:
        """Set a user aside because of an error elsewhere."""
        isolated = self._isolated(user, self._users[user], len(self._journal))
        isolated.leave(error)
        if isolated is not self._users[user]:
            self._replace({user: isolated})

    def _publish_to(
        self,
        served: ArrayUser,
        stream: EventBatch,
        at: Integers,
        places: Integers,
        degrees: Reals | None,
        gathering: DeliveryCollector,
    ) -> bool:
        """Serve a batch to a user over arrays; False if that fails, with the user's state unchanged."""
        before = served.copy(matches=len(at) > 0)
        try:
            served.publish(stream, at, places, degrees, gathering)
        except Exception:  # the reference engine serves the batch and reports the failure
            served.go_back(before)
            return False
        return True

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
        if not len(self._crowd):
            return []
        members = self._member_of
        alone: list[int] = [number for number in map(self._number, failed) if members[number] >= 0]
        if alone:
            members = members.copy()
            members[alone] = -1
        try:
            return alone + self._crowd.publish(stream, members, borders, at, places, degrees, gathering)
        except Exception:  # the crowd is unchanged; the reference engine serves the batch and reports the failure
            served: list[int] = np.flatnonzero(self._member_of >= 0).tolist()
            return served

    def _matches(self, events: Sequence[Event]) -> tuple[Matches, dict[int, dict[str, str]]]:
        """The matches of a batch; and by event index, the users for whom matching failed, with the reason."""
        if self._is_matching:
            with suppress(Exception):  # caused by one event, or by one user's subscription
                return self._matching.match_batch(events), {}
        if self._by_user is None:
            self._by_user = MatcherByUser(self._catalog)
        served = [user for user in self._users if self._is_served(user)]
        found, failures = list[tuple[int, int, float]](), dict[int, dict[str, str]]()
        for place, event in enumerate(events):
            matched, failed = self._by_user.match(event, served)
            found += [(place, self._roster.slot_of[one.id], degree) for one, degree in matched]
            if failed:
                failures[place] = failed
        places, slots = np.array([row[:2] for row in found], np.int64).reshape(-1, 2).T.copy()
        return Matches(places, slots, np.array([row[2] for row in found], np.float64)), failures

    def _update_matching(self, changes: RosterChanges, catalog: Catalog) -> None:
        if not self._is_matching:
            self._matching = self._make_matching()
        try:
            self._matching.update(self._roster, changes, catalog)
            self._is_matching = True
        except Exception:  # caused by one user's subscription
            self._is_matching = False

    def _make_matching(self) -> Matching:
        make = self._make_matcher
        return MatchingBySize() if make is None else RebuiltMatching(make) if callable(make) else make

    @property
    def _member_of(self) -> Integers:
        """By user, the number in the crowd; -1 for users who are not in it."""
        if self._numbers_of_members is None:
            numbers = [served.number if isinstance(served, Member) else -1 for served in self._users.values()]
            self._numbers_of_members = np.array(numbers, np.int64)
        return self._numbers_of_members

    def _number(self, user: str) -> int:
        """The index of a user among all users."""
        return bisect_left(self._names, user)

    def _alone(self) -> list[tuple[str, ArrayUser | IsolatedSubscriber]]:
        """The users who are not in the crowd."""
        quiet = self._quiet = self._quiet or VisitSchedule(self._users.items())
        return quiet.users

    def _note(self, row: SetAside) -> None:
        self._set_aside.append(row)

    def _turn(self) -> None:
        if self._journal.is_full:
            self._journal.turn([one for _, one in self._alone() if isinstance(one, IsolatedSubscriber)])

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
                chosen: Collection[str] = self._chosen(event, pairs)
            else:
                chosen = admitted.get(event.id, ())
            keep[own] = [subscription.id in chosen for subscription in found]
        return Matches(matches.event[keep], matches.subscription[keep], matches.degree[keep])

    def _chosen(self, event: Event, pairs: Sequence[tuple[Subscription, float]]) -> Collection[str]:
        try:
            return {each.id for each, _ in self._admission.admitted(event, pairs)}
        except Exception as error:
            self._note(SetAside(None, event.id, event.seq, 0, reason(error)))
            return ()

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
        self._enough = 2 * len(self._table) + len(self._users) // 100  # checking costs 2 µs per user


def _is_timed(policy: Policy) -> bool:
    return policy.mode is Mode.PERIODIC and policy.length is not None and policy.length.unit is Unit.TIME
