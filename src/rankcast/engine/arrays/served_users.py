"""How each user of a shard is served: over arrays, in the crowd, or with the reference engine."""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import TypeAlias

import numpy as np

from rankcast.choose.positions import instant
from rankcast.engine.arrays.crowd import Crowd
from rankcast.engine.arrays.crowd_member import Member, joins
from rankcast.engine.arrays.crowd_state import restore_member, state_of
from rankcast.engine.arrays.filtered_user import EventKeys, FilteredUser
from rankcast.engine.arrays.filters import array_filter
from rankcast.engine.arrays.matching import Integers
from rankcast.engine.arrays.modes import suits
from rankcast.engine.arrays.quiet import VisitSchedule
from rankcast.engine.arrays.table import EventTable
from rankcast.engine.arrays.user import ArrayUser, deliveries_of
from rankcast.engine.isolation import IsolatedSubscriber, RecentMoments
from rankcast.engine.reference.subscriber import Subscriber
from rankcast.model import Catalog, Delivery, Mode, Policy, SetAside, Unit
from rankcast.plain import State

__all__ = ["Served", "ServedUsers"]

Served: TypeAlias = ArrayUser | Member | IsolatedSubscriber
"""How the shard serves a user: over arrays, in the crowd, or with the reference engine (also after a failure)."""


class ServedUsers:
    """The users of a shard, in order. Each has one way of being served, and can change from one to another.

    `note` receives what is set aside.
    """

    def __init__(self, catalog: Catalog, table: EventTable, note: Callable[[SetAside], None]) -> None:
        self.catalog = catalog
        self.crowd = Crowd(table)
        self.journal = RecentMoments()
        self.users: dict[str, Served] = {}
        self.names: list[str] = []
        self._table = table
        self._keys = EventKeys()
        self._note = note
        self._schedule: VisitSchedule | None = None
        self._timed: list[ArrayUser | IsolatedSubscriber] | None = None
        """The users with periods that the clock may end."""
        self._members: Integers | None = None
        self._enough = 0

    def changed(self) -> None:
        """Note that a user is served in another way, or continues from another state."""
        self._schedule = self._timed = self._members = None

    @property
    def schedule(self) -> VisitSchedule:
        """Which users outside the crowd a batch must visit."""
        self._schedule = self._schedule or VisitSchedule(self.users.items())
        return self._schedule

    @property
    def member_of(self) -> Integers:
        """By user, the number in the crowd; -1 for users who are not in it."""
        if self._members is None:
            numbers = [served.number if isinstance(served, Member) else -1 for served in self.users.values()]
            self._members = np.array(numbers, np.int64)
        return self._members

    def number(self, user: str) -> int:
        """The index of a user among all users."""
        return bisect_left(self.names, user)

    def alone(self) -> list[tuple[str, ArrayUser | IsolatedSubscriber]]:
        """The users who are not in the crowd."""
        return self.schedule.users

    def is_served(self, user: str) -> bool:
        """Whether the user is served here, and not set aside."""
        served = self.users.get(user)
        return served is not None and not (isinstance(served, IsolatedSubscriber) and served.is_out)

    def update(self, user: str, catalog: Catalog) -> list[Delivery]:
        """Serve a user by another version of the catalog; returns what is still owed from the one before."""
        served = self.users.get(user)
        if served is None:
            made = IsolatedSubscriber(user, catalog, self.journal, self._note)
            self.users[user] = self._serve(user, catalog, made)
            return []
        if (served if isinstance(served, IsolatedSubscriber) else served.oracle).is_current(catalog):
            return []
        isolated = self.isolated(user, served, len(self.journal))
        owed = isolated.update(catalog)
        self.leave(served)
        self.users[user] = new = self._serve(user, catalog, isolated)
        if not isinstance(new, IsolatedSubscriber):
            try:
                self._restore(new, isolated.state())
            except Exception:  # arrays may fail where the reference engine does not
                self.leave(new)
                self.users[user] = isolated
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
            self.crowd.add(member)
            return member
        if policy.filter is None:
            return ArrayUser(user, catalog, oracle, self._table)
        ids = [one.id for one in catalog.subscriptions_of(user)]
        made = array_filter(user, policy.filter, ids, policy.decay, policy.origin)
        return None if made is None else FilteredUser(user, catalog, oracle, self._table, made, self._keys)

    def leave(self, served: Served) -> None:
        """Take a user out of the crowd."""
        if isinstance(served, Member):
            self.crowd.remove(served)

    def state(self, served: Served) -> State:
        """The delivery state of a user as plain data."""
        return state_of(self.crowd, served, self._table) if isinstance(served, Member) else served.state()

    def _restore(self, served: Served, state: State) -> None:
        if isinstance(served, Member):
            restore_member(self.crowd, served, state, self._table)
        else:
            served.restore(state)

    def restore(self, user: str, state: State) -> None:
        """Continue a user from a saved state.

        The user is served over arrays, unless something has failed there or reading the state fails.
        """
        served = self.users[user]
        if isinstance(served, IsolatedSubscriber) and served.has_begun and not served.is_sound:
            isolated = IsolatedSubscriber(user, self.catalog, self.journal, self._note)
            self.users[user] = served = self._serve(user, self.catalog, isolated)
        if not isinstance(served, IsolatedSubscriber):
            if "failed" not in state and "set_aside" not in state:
                with suppress(Exception):  # the reference engine reports the failure
                    self._restore(served, state)
                    return
            isolated = IsolatedSubscriber(user, self.catalog, self.journal, self._note)
            self.leave(served)
            self.users[user] = served = isolated
        served.restore(state)

    def isolated(self, user: str, served: Served, since: int) -> IsolatedSubscriber:
        """The user in the reference engine, with the current state, which is at place `since` of the journal."""
        if isinstance(served, IsolatedSubscriber):
            return served
        isolated = IsolatedSubscriber(user, self.catalog, self.journal, self._note, served.oracle.renewed(), since)
        try:
            state = self.state(served)
        except Exception as error:
            isolated.leave(error)
            return isolated
        isolated.restore(state)
        isolated.remember(since)
        return isolated

    def takes_back(self, served: ArrayUser | Member, isolated: IsolatedSubscriber) -> bool:
        """Whether arrays can take over a user from the reference engine. Users with a failure stay there."""
        if not isolated.is_sound:
            return False
        try:
            self._restore(served, isolated.state())
        except Exception:
            return False
        return True

    def replace(self, faulty: Mapping[str, IsolatedSubscriber]) -> None:
        """Serve these users with the reference engine from now on."""
        for user, isolated in faulty.items():
            self.leave(self.users[user])
            self.users[user] = isolated
        if faulty:
            self.changed()

    def put_out(self, user: str, error: Exception) -> None:
        """Set a user aside because of an error elsewhere."""
        isolated = self.isolated(user, self.users[user], len(self.journal))
        isolated.leave(error)
        if isolated is not self.users[user]:
            self.replace({user: isolated})

    @property
    def due(self) -> datetime | None:
        """When the clock ends a period with events to deliver, so that `advance` has work; None if never."""
        if self._timed is None:
            self._timed = [one for user, one in self.alone() if _is_timed(self.catalog.policy_of(user))]
        found = [self.crowd.due, *(one.due for one in self._timed)]
        times = [instant(due) if isinstance(due, int) else due for due in found if due is not None]
        return min(times, default=None)

    def turn(self) -> None:
        """Shorten the journal if it is full."""
        if self.journal.is_full:
            self.journal.turn([one for _, one in self.alone() if isinstance(one, IsolatedSubscriber)])

    def forget(self) -> None:
        """Drop the events that nobody needs any more."""
        if len(self._table) <= self._enough:
            return
        rows = [served.oldest_row for served in self.users.values() if isinstance(served, ArrayUser)]
        if len(self.crowd):
            rows.append(self.crowd.oldest_row())
        self._table.forget(min(rows, default=self._table.next_row))
        self._enough = 2 * len(self._table) + len(self.users) // 100  # checking costs 2 µs per user


def _is_timed(policy: Policy) -> bool:
    return policy.mode is Mode.PERIODIC and policy.length is not None and policy.length.unit is Unit.TIME
